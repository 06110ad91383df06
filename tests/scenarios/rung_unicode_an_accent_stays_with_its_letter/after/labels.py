labels = {
    'būsena': 'status',
    'data': 'date',
    added_618(),
    'santrauka': 'abstract',
}
