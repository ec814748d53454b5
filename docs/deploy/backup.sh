#!/bin/sh
# Write a dump of the database of DATABASE_URL to BACKUP_DIR, and copy the files of DATA_DIR to it. Delete dumps, and copies
# of files that no longer exist, after BACKUP_DAYS.
set -eu
umask 077
folder=${BACKUP_DIR:-/var/backups/tablechat}
file=$folder/tables-$(date -u +%Y-%m-%dT%H%M%SZ).dump
# An interrupted dump never looks like a complete one.
trap 'rm -f "$file.part"' EXIT
pg_dump --format=custom --file="$file.part" "$DATABASE_URL"
pg_restore --list "$file.part" >/dev/null
mv "$file.part" "$file"
# Only after a complete dump, so that the last ones remain if dumps fail.
find "$folder" -maxdepth 1 -name 'tables-*.dump' -mtime "+${BACKUP_DAYS:-30}" -delete

# Files in cells, after the dump, so that all of its files are copied. They never change: only new ones are copied.
# With an object storage there are none.
source=${DATA_DIR:-/var/lib/tablechat}/files
[ -d "$source" ] || exit 0
copies=$folder/files
mkdir -p "$copies"
cd "$source"
find . -type f | while read -r path; do
    [ -e "$copies/$path" ] && continue
    mkdir -p "$copies/${path%/*}"
    # A file may be deleted meanwhile. An interrupted copy never looks like a complete one.
    cp "$path" "$copies/$path.part" || { [ ! -e "$path" ] && continue; exit 1; }
    mv "$copies/$path.part" "$copies/$path"
done
# The time of a copy is when its file existed last.
find . -type f -exec sh -c 'cd "$1" && shift && touch -c -- "$@"' sh "$copies" {} +
find "$copies" -type f -mtime "+${BACKUP_DAYS:-30}" -delete
