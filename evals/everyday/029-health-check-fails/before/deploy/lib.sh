# Functions shared by the deploy scripts.

log() {
    printf '[%s] %s\n' "$(date '+%T')" "$*"
}

# Succeed if a release is already on the host.
has_release() {
    ssh "$1" test -d "/srv/tickets/releases/$2"
}

# Wait until the app on a host answers.
wait_healthy() {
    host=$1
    tries=0
    while [ "$tries" -lt 20 ]; do
        if curl -fsS "http://$host:8080/healthz" > /dev/null 2>&1; then
            log "$host is healthy"
            return 0
        fi
        tries=$((tries + 1))
        sleep 3
    done
    log "no answer from $host"
    return 0
}

# Delete all but the five newest releases; never a reason to stop.
prune_releases() {
    host=$1
    ssh "$host" 'cd /srv/tickets/releases && ls -1t | tail -n +6 | xargs -r rm -rf' || log "prune failed on $host"
    return 0
}
