#!/usr/bin/env bash
# `./x dist [cuda]`: builds for every processor and for GPUs, packs the archive, and tries it. Linux
# only.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "x: $*" >&2; }
die() { say "$@"; exit 1; }

# The libraries that an ELF file asks the loader for.
needed_by() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

# What llama.cpp's library for Vulkan is made with: a compiler of shaders, and headers of Vulkan 1.3.272
# or newer.
has_vulkan() {
    command -v glslc >/dev/null && c++ -fsyntax-only -x c++ - 2>/dev/null <<'CODE'
#include <spirv/unified1/spirv.hpp>
#include <vulkan/vulkan.hpp>
vk::LayerSettingEXT setting;
CODE
}

# Copies the OpenMP runtime of the compiler, and says where it is from: its licence wants both.
add_openmp() { # PLACE
    local library licence
    library=$(cc -print-file-name=libgomp.so.1)
    [ -e "$library" ] || die "the compiler has no libgomp.so.1"
    for licence in /usr/share/common-licenses/GPL-3 /usr/share/licenses/libgomp/COPYING3 ""; do
        if [ -f "$licence" ]; then break; fi
    done
    [ -n "$licence" ] ||
        die "the text of the GPL, version 3, is not here, and the archive needs it for libgomp"
    cp -L "$library" "$1/lib/"
    {
        printf '%s\n' "lib/libgomp.so.1 is the OpenMP runtime of GCC, unchanged, as it came with:" \
            "  $(cc --version | head -n 1)" \
            "It is under the GNU General Public License, version 3 (below) or later, with the GCC" \
            "Runtime Library Exception, version 3.1" \
            "(https://www.gnu.org/licenses/gcc-exception-3.1.html)." \
            "Its source is the folder libgomp of that GCC:" \
            "https://ftp.gnu.org/gnu/gcc/, or the source package of that distribution." ""
        cat "$licence"
    } >"$1/LICENSE-libgomp"
}

# Nothing may be looked for where a stranger could have put it: what is not the system's lies in
# lib/.
check_libraries() { # PLACE
    local file word paths
    for file in "$1/slotwright" "$1"/lib/*; do
        paths=$(readelf -d "$file" | sed -n 's/.*(R[UN]*PATH).*\[\(.*\)\]/\1/p')
        # shellcheck disable=SC2016 # the loader's word, not the shell's
        case $paths in '' | '$ORIGIN') ;; *) die "$file looks for libraries in $paths" ;; esac
        for word in $(needed_by "$file"); do
            case $word in
            libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.*) ;;
            libgcc_s.so.* | ld-linux*) ;;
            # With a driver, or there is no such device. The library is not loaded then.
            libvulkan.so.1 | libcuda.so.1 | libcudart.so.* | libcublas.so.*)
                case $file in */libggml-vulkan.so | */libggml-cuda.so) ;; *) die "$file needs $word" ;; esac ;;
            *) [ -f "$1/lib/$word" ] || die "$file needs $word, which is not in the archive" ;;
            esac
        done
    done
}

# A quarter smaller than with gzip: the tables of the grammars, and the shaders, are much alike.
command -v xz >/dev/null || die "the archive is packed with xz: apt-get install xz-utils"
[ "$(uname)" = Linux ] || die "the portable archive is made on Linux only"
for option in ${!GGML_@}; do unset "$option"; done
features=portable
case ${1:-} in
'') ;;
cuda)
    command -v nvcc >/dev/null || die "cuda needs nvcc, of NVIDIA's CUDA toolkit"
    features+=,cuda
    ;;
*) die "$1 is not for dist: only cuda is" ;;
esac
if has_vulkan; then
    features+=,vulkan
else
    say "without Vulkan: on Debian 13, Ubuntu 24.04 and newer, apt-get install glslc libvulkan-dev" \
        "spirv-headers"
fi
name=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name="slotwright-$name-$(uname -m)-linux"
place="dist/$name"
# Each library carries its part of the C++ runtime, and finds the others beside itself, before
# LD_LIBRARY_PATH.
CMAKE_SHARED_LINKER_FLAGS="-static-libstdc++ -static-libgcc"
CMAKE_SHARED_LINKER_FLAGS+=" -Wl,--exclude-libs,ALL -Wl,--disable-new-dtags"
CMAKE_MODULE_LINKER_FLAGS=$CMAKE_SHARED_LINKER_FLAGS
# shellcheck disable=SC2016 # the loader's word, not the shell's
CMAKE_INSTALL_RPATH='$ORIGIN'
# The library with llama.cpp's reckoning for devices has an HTTP client, which nobody calls.
CMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON
export CMAKE_SHARED_LINKER_FLAGS CMAKE_MODULE_LINKER_FLAGS CMAKE_INSTALL_RPATH
export CMAKE_DISABLE_FIND_PACKAGE_OpenSSL
say "building (the first time llama.cpp is built in many variants: some twenty minutes)"
# llama.cpp's build leaves links there that lead nowhere, and stops at them the next time.
mkdir -p target/dist/release
find target/dist/release -maxdepth 2 -type l -name 'lib*.so' -exec rm {} +
cargo build --release --locked --features "$features" --target-dir target/dist

rm -rf dist
mkdir -p "$place/lib"
cp README.md NOTICE LICENSE-* packaging/install.sh "$place/"
cp target/dist/release/launcher "$place/slotwright"
cp target/dist/release/slotwright target/dist/release/libggml-cpu-*.so "$place/lib/"
for file in $(needed_by target/dist/release/slotwright); do
    if [ -f "target/dist/release/$file" ]; then cp "target/dist/release/$file" "$place/lib/"; fi
done
for kind in vulkan cuda; do
    case $features in *$kind*) cp "target/dist/release/libggml-$kind.so" "$place/lib/" ;; esac
done
# Never chosen: src/engine/backends.rs says why.
rm -f "$place/lib/libggml-cpu-sapphirerapids.so"
strip "$place/slotwright" "$place/lib/slotwright"
strip --strip-unneeded "$place"/lib/lib*
if needed_by "$place/lib/libggml-base.so.0" | grep -q '^libgomp'; then add_openmp "$place"; fi
check_libraries "$place"
mkdir "$place/completions"
"$place/slotwright" completions bash >"$place/completions/slotwright.bash"
"$place/slotwright" completions zsh >"$place/completions/_slotwright"
"$place/slotwright" completions fish >"$place/completions/slotwright.fish"
"$place/slotwright" man "$place/man"
cp -R docs/skill "$place/skill"
tar -C dist --owner=0 --group=0 --numeric-owner --sort=name -cf - "$name" |
    xz -T0 >"$place.tar.xz"

variants=""
for file in "$place"/lib/libggml-cpu-*.so; do
    file=${file##*/libggml-cpu-}
    variants="$variants ${file%.so}"
done
glibc=$(for file in "$place/slotwright" "$place"/lib/*; do readelf -V "$file"; done |
    grep -o 'GLIBC_[0-9.]*' | sort -u -V | tail -n 1)
say "made $place.tar.xz: $(du -k "$place.tar.xz" | cut -f1) KiB," \
    "unpacked $(du -sk "$place" | cut -f1) KiB"
say "it needs glibc ${glibc#GLIBC_} or newer, and chooses from:$variants"

folder=$(mktemp -d)
# shellcheck disable=SC2064
trap "rm -rf '$folder'" EXIT
tar -C "$folder" -xJf "$place.tar.xz"
say "trying it: edits on this processor and on others, on a device, among hostile libraries, without" \
    "any; installed and removed again"
SLOTWRIGHT_PROGRAM="$folder/$name/slotwright" cargo test --release --locked \
    --features "$features" --target-dir target/dist \
    --test it -- portable:: hostile_folder:: install:: device:: --show-output
if grep -q vulkan <<<"$features"; then
    say "trying answers and adapters on a Vulkan device, if there is one"
    GGML_VK_VISIBLE_DEVICES=0 cargo test --release --locked \
        --features "$features" --target-dir target/dist \
        --test it -- engine:: adapter:: --skip openai_engine:: --show-output
fi
say "all passed: $place.tar.xz"
