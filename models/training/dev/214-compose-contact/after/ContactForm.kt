@Composable
fun ContactForm(onSubmit: (String) -> Unit) {
    var text by remember { mutableStateOf("") }

    Column(modifier = Modifier.padding(16.dp)) {
        Text("How can we help?", style = MaterialTheme.typography.titleMedium)
        OutlinedTextField(
            value = text,
            onValueChange = { text = it },
            label = { Text("Your message") },
        )
        Button(onClick = { onSubmit(text) }, enabled = text.isNotBlank()) {
            Text("Send message")
        }
    }
}
