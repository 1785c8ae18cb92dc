# Sourced, not run: what the steps that leave this machine's own target behind have in common.
#
# Debian's security suite carries a Rust toolchain with the source of its library (the one that
# Firefox is built with). With that source the library can be rebuilt for any target and with any
# sanitizer. A step that needs it calls `need_debian_rust`, and skips loudly if that fails.

run() { printf '+ %s\n' "$*"; "$@"; }
skipped() { printf 'skipped: %s\n' "$*"; exit 0; }

# apt_has COMMAND PACKAGE…: installs the packages unless the command is there. The lists are fetched
# once per run, and only if something is missing.
apt_has() {
    local command=$1
    shift
    command -v "$command" >/dev/null 2>&1 && return 0
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
    if [ -z "${APT_UPDATED:-}" ]; then
        apt-get update -qq >/dev/null 2>&1
        export APT_UPDATED=1
    fi
    printf '+ apt-get install %s\n' "$*"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
    command -v "$command" >/dev/null 2>&1
}

# Makes `cargo +debian` available, with -Zbuild-std.
need_debian_rust() {
    command -v rustup >/dev/null 2>&1 || return 1
    if ! rustc +debian -V >/dev/null 2>&1; then
        [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] && compgen -G '/usr/src/rustc-*/library' >/dev/null ||
            apt_has no-such-command rustc-web rust-web-src cargo-web
        [ -x /usr/bin/rustc ] && compgen -G '/usr/src/rustc-*/library' >/dev/null || return 1
        rustup toolchain link debian /usr || return 1
    fi
    rustc +debian -V || return 1
    export RUSTC_BOOTSTRAP=1
}
