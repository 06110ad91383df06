#!/usr/bin/env bash
# Deploys the current main branch to the server.
set -u

HOST=${1:-potluck.example.net}
USER_NAME=deployer
APP_DIR=/srv/potluck
HEALTH_URL="https://$HOST/health"
RETRIES=10

say() {
    printf '\033[1m==> %s\033[0m\n' "$*"
}

die() {
    echo "$*"
    exit 1
}

remote() {
    ssh -o BatchMode=yes "$USER_NAME@$HOST" "$@"
}

require_clean_tree() {
    if [ -n "$(git status --porcelain)" ]; then
        die "uncommitted changes, not deploying"
    fi
    if [ "$(git rev-parse --abbrev-ref HEAD)" != "main" ]; then
        die "you are not on main"
    fi
}

upload() {
    say "Uploading sources"
    rsync -az --delete \
        --exclude .git \
        --exclude node_modules \
        --exclude .env \
        ./ "$USER_NAME@$HOST:$APP_DIR/"
}

migrate() {
    say "Running migrations"
    remote "cd $APP_DIR && docker compose run --rm web python -m potluck.migrate" \
        || die "migration failed"
}

restart() {
    say "Restarting services"
    remote "cd $APP_DIR && docker compose up -d --build web worker"
}

wait_healthy() {
    say "Waiting for $HEALTH_URL"
    local i
    for i in $(seq 1 "$RETRIES"); do
        if curl -fsS "$HEALTH_URL" >/dev/null 2>&1; then
            say "Up after $i checks"
            return 0
        fi
        sleep 3
    done
    die "service did not come up"
}

main() {
    require_clean_tree
    upload
    restart
    wait_healthy
    say "Done"
}

main
