#!/bin/sh
# Write a dump of the database of DATABASE_URL to BACKUP_DIR, and delete those older than BACKUP_DAYS.
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
find "$folder" -name 'tables-*.dump' -mtime "+${BACKUP_DAYS:-30}" -delete
