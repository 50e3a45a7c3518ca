/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm - does a guest really start under KVM here? /dev/kvm may be there, open and answer, and yet kill the guest or hang it (nested
 * virtualisation that is only half there).
 */
#pragma once

/* NULL if it does, tried once a process by a firmware that must come to its end within a deadline; else why not, in `reason` of 200. */
const char *kvm_probe(char *reason);
