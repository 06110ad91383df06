n=1
curl --silent \
    --retry "$n" \
    "$url"
