#!/bin/bash
# Switches the shop window lights by the hour.

hour=$(date +%H)
hour=${hour#0}

if ((hour >= 7 && hour < 22)); then
    gpio write 4 1
else
    gpio write 4 0
fi
