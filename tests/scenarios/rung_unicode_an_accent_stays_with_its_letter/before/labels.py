labels = {
    'būsena': 'status',
    'data': 'date',
    'autoriaus teisės': 'copyright',
    'santrauka': 'abstract',
}
