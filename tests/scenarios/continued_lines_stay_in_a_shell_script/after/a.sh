n=2
curl --silent \
    --retry "$n" \
    "$url"
