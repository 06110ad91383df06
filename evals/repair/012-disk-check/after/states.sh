# Exit statuses the monitoring understands.

STATE_OK=0
STATE_WARNING=1
STATE_CRITICAL=2
STATE_UNKNOWN=3

state_name() {
    case $1 in
        ok) echo OK ;;
        warning) echo WARNING ;;
        critical) echo CRITICAL ;;
        *) echo UNKNOWN ;;
    esac
}
