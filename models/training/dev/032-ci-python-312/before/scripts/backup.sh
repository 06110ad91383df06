#!/bin/sh
# Nightly dump of the database, run by cron.
set -eu

DEST=/var/backups/potluck
KEEP_DAYS=14
stamp=$(date +%Y-%m-%d)

mkdir -p $DEST
cd /srv/potluck

docker compose exec -T db pg_dump -U potluck potluck | gzip > "$DEST/$stamp.sql.gz"

find "$DEST" -name '*.sql.gz' -mtime +"$KEEP_DAYS" -delete
echo "backup $stamp done"
