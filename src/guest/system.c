/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/system.h"

#include "base/num.h"
#include "guest/kstat.h"
#include "guest/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int mount_at(const char *type, const char *where, const char *options, struct err *e)
{
	mkdir(where, 0755);
	if (mount(type, where, type, 0, options) < 0 && errno != EBUSY)
		return err_errno(e, "mounting %s on %s", type, where);
	return 0;
}

/* A kernel without devtmpfs: the few devices that programs take for granted. */
static void make_devices(void)
{
	static const struct {
		const char *path;
		unsigned major, minor;
	} nodes[] = { { "/dev/null", 1, 3 },	{ "/dev/zero", 1, 5 },	  { "/dev/full", 1, 7 },
		      { "/dev/random", 1, 8 },	{ "/dev/urandom", 1, 9 }, { "/dev/tty", 5, 0 },
		      { "/dev/console", 5, 1 }, { "/dev/ttyS0", 4, 64 },  { "/dev/ttyS1", 4, 65 } };

	for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
		mknod(nodes[i].path, S_IFCHR | 0666, makedev(nodes[i].major, nodes[i].minor));
}

int system_mount(struct err *e)
{
	int r = mount_at("proc", "/proc", NULL, e);
	struct err optional = ERR_INIT;

	if (r == 0)
		r = mount_at("sysfs", "/sys", NULL, e);
	if (r == 0 && mount_at("devtmpfs", "/dev", NULL, &optional) < 0) {
		r = mount_at("tmpfs", "/dev", "mode=755", e);
		make_devices();
	}
	if (r == 0)
		r = mount_at("tmpfs", "/tmp", "mode=1777", e);
	if (r < 0)
		return r;
	(void)mount_at("tmpfs", "/dev/shm", "mode=1777", &optional);
	(void)mount_at("devpts", "/dev/pts", "mode=620,ptmxmode=666", &optional);
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
	return 0;
}

int system_mount_run(int64_t run_bytes, struct err *e)
{
	char options[64];

	snprintf(options, sizeof(options), "mode=755,size=%lld", (long long)run_bytes);
	return mount_at("tmpfs", "/run", options, e);
}

int system_open_serial(const char *path, int *ret_fd, struct err *e)
{
	struct termios t;
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(e, "opening %s", path);
	if (tcgetattr(fd, &t) == 0) {
		cfmakeraw(&t);
		t.c_cflag |= CLOCAL;
		cfsetspeed(&t, B115200);
		tcsetattr(fd, TCSANOW, &t);
	}
	*ret_fd = fd;
	return 0;
}

int system_load_module(const char *spec, struct err *e)
{
	size_t n = strcspn(spec, " ");
	AUTO_FREE char *path = xstrndup(spec, n);
	const char *args = spec[n] ? spec + n + 1 : "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long r;

	if (fd < 0)
		return err_errno(e, "module %s", path);
	r = syscall(SYS_finit_module, fd, args, 0);
	if (r < 0 && errno == EEXIST)
		r = 0;
	if (r < 0)
		err_errno(e, "loading module %s", path);
	close(fd);
	return r < 0 ? -ERR_ENV : 0;
}

int system_set_sysctl(const char *assignment, struct err *e)
{
	const char *eq = strchr(assignment, '=');
	AUTO_FREE char *path = NULL;

	if (!eq)
		return err_set(e, ERR_USAGE, "sysctl '%s' has no value", assignment);
	path = xasprintf("/proc/sys/%.*s", (int)(eq - assignment), assignment);
	for (char *c = path + strlen("/proc/sys/"); *c; c++)
		if (*c == '.')
			*c = '/';
	if (!file_write(path, eq + 1))
		return err_errno(e, "sysctl %s", assignment);
	return 0;
}

static int raise_interface(int fd, const char *name, const char *address, struct err *e)
{
	struct ifreq r = { 0 };
	struct sockaddr_in in = { .sin_family = AF_INET };

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	if (address) {
		inet_pton(AF_INET, address, &in.sin_addr);
		memcpy(&r.ifr_addr, &in, sizeof(in));
		if (ioctl(fd, SIOCSIFADDR, &r) < 0)
			return err_errno(e, "address of %s (is its module in the plan?)", name);
	}
	r.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &r) < 0)
		return err_errno(e, "bringing %s up", name);
	return 0;
}

int system_net_loopback(struct err *e)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r;

	if (fd < 0)
		return err_errno(e, "net loopback: this kernel has no IPv4");
	r = raise_interface(fd, "lo", NULL, e);
	if (r == 0)
		r = raise_interface(fd, "dummy0", "192.0.2.1", e);
	close(fd);
	return r;
}

static uint64_t busy_ticks(void)
{
	AUTO(str) struct str text = STR_INIT_MAX(1 << 20);

	return file_read("/proc/stat", &text) ? kstat_busy_ticks(text.p) : 0;
}

bool system_wait_idle(int64_t limit_ns)
{
	const struct timespec pause = { 0, 100 * 1000 * 1000 };
	int64_t end = system_uptime_ns() + limit_ns;
	uint64_t before = busy_ticks();

	for (int calm = 0; calm < 3;) {
		uint64_t now;

		if (system_uptime_ns() > end)
			return false;
		nanosleep(&pause, NULL);
		now = busy_ticks();
		calm = now == before ? calm + 1 : 0;
		before = now;
	}
	return true;
}

void system_burn(int64_t instructions)
{
	uint64_t turns = (uint64_t)instructions / 2;

	if (turns)
		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
}

int64_t system_uptime_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

_Noreturn void system_power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
