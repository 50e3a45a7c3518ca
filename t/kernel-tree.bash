# A made kernel tree: what culprit needs of Kbuild (O=, *config, image_name, kernelrelease, .cmd files, CONFIG_ symbols), with "objects" that are their source
# without comment lines and an image that is a shell script. It is built in a second and "runs" on the local target.

make_kernel_tree() { # folder
	mkdir -p "$1/scripts" "$1/include" "$1/drivers" "$1/mm"
	cat >"$1/Makefile" <<-'EOF'
		VERSION = 6
		PATCHLEVEL = 12
		SUBLEVEL = 0
		.RECIPEPREFIX = >
		-include $(O)/.config
		obj-y := mm/page.c
		obj-$(CONFIG_DRV) += drivers/drv.c
		align-$(CONFIG_DEBUG_FORCE_FUNCTION_ALIGN_64B) := aligned
		objects := $(patsubst %.c,$(O)/%.o,$(obj-y))
		image := arch/x86/boot/bzImage
		all: $(O)/$(image)
		$(O)/$(image): $(objects) $(O)/.config
		> @mkdir -p $(dir $@)
		> @{ cat $(objects); echo "# build $(KBUILD_BUILD_TIMESTAMP) $(KBUILD_BUILD_USER)@$(KBUILD_BUILD_HOST) #$(KBUILD_BUILD_VERSION)"; echo "# $(align-y) $(KCFLAGS)"; } >$@
		> @{ echo "ffffffff81000000 T _text"; sed -n 's/^# symbol //p' $(objects); } >$(O)/System.map
		$(O)/%.o: %.c include/kernel.h
		> @echo "  CC      $*.o"
		> @mkdir -p $(dir $@)
		> @if grep -q REFUSED $<; then echo "$<:1: error: REFUSED"; exit 1; fi
		> @grep -v '^//' $< >$@ || true
		> @printf 'savedcmd_%s := cc -c -o %s $(CURDIR)/%s\ndeps_%s := \\\n  $(CURDIR)/include/kernel.h \\\n' $@ $@ $< $@ >$(dir $@).$(notdir $@).cmd
		tinyconfig:
		> @echo "# CONFIG_DRV is not set" >$(O)/.config
		%config:
		> @sh scripts/conf.sh $(O)/.config
		image_name:
		> @echo $(image)
		kernelrelease:
		> @echo $(VERSION).$(PATCHLEVEL).$(SUBLEVEL)$(LOCALVERSION)
		.PHONY: all tinyconfig image_name kernelrelease
	EOF
	# Kconfig here: lines "NAME DEFAULT", and "NAME always VALUE" for what nobody can change
	printf 'DRV n\nFAST y\nFIXED always y\nDEBUG_FORCE_FUNCTION_ALIGN_64B n\n' >"$1/Kconfig"
	cat >"$1/scripts/conf.sh" <<-'EOF'
		sort "$1" >"$1.old" 2>/dev/null
		while read -r name default value; do
			case $default in
			always) ;;
			*) value=$(sed -n "s/^CONFIG_$name=//p; s/^# CONFIG_$name is not set/n/p" "$1.old" | tail -n 1) ;;
			esac
			value=${value:-$default}
			if [ "$value" = n ]; then echo "# CONFIG_$name is not set"; else echo "CONFIG_$name=$value"; fi
		done <Kconfig >"$1"
		rm "$1.old"
	EOF
	printf 'echo "time: 1000000 ns"\n' >"$1/mm/page.c"
	printf 'echo "# with the driver"\n' >"$1/drivers/drv.c"
	printf '/* everything includes it */\n' >"$1/include/kernel.h"
	printf 'none\n' >"$1/MAINTAINERS"
}

# Commits all of the current tree as $1.
commit() { git add -A && git commit -qm "$1"; }
