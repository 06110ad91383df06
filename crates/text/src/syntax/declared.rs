//! What a text gives names to: functions, types, values, their members, and keys of tables. By the parse
//! tree, whose words differ from grammar to grammar; the tables here say which are which.

use super::definitions::DefinitionKind;
use super::faults::parsed;
use super::language::Language;
use crate::text::ident::is_identifier;
use arborium::tree_sitter::Node;
use std::ops::RangeInclusive;

/// One named thing of a text.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub kind: DefinitionKind,
    pub name: String,
    /// The names of what it is in, the outermost first.
    pub within: Vec<String>,
    /// The name of what it is in, where that is no function and has one.
    pub holder: Option<String>,
    /// Its parameters, each with its name and all its text. Those of a variant are what it holds.
    pub parameters: Vec<(String, String)>,
    /// The type of a field or of what a function returns, as it is written; may be empty.
    pub result: String,
    /// All that it is given, as it is written: a body or a value. May be empty.
    pub value: String,
    /// With all its lines, counted from 1.
    pub lines: RangeInclusive<usize>,
    /// The node that holds it and its siblings.
    pub parent: usize,
}

/// What a text gives names to, in its order. `None` where there is no grammar, or it is not parsed.
pub(super) fn declared(path: &str, text: &str) -> Option<Vec<Declared>> {
    let tree = parsed(Language::of_file(path, text)?, text)?;
    let mut found: Vec<Declared> = Vec::new();
    // What the next node may be in: its end, its name, and whether names in it are its own affair.
    let mut around: Vec<(usize, String, DefinitionKind)> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        while around.last().is_some_and(|it| it.0 <= node.start_byte()) {
            around.pop();
        }
        let is_local = around.iter().any(|it| it.2 == DefinitionKind::Function);
        let in_type = around.last().is_some_and(|it| it.2 == DefinitionKind::Type);

        let named = named(node, text, in_type).filter(|it| !is_local || is_of_table(it.0));
        if let Some((kind, name)) = named {
            found.push(Declared {
                within: around.iter().map(|it| it.1.clone()).collect(),
                holder: holder(&around),
                ..of_node(node, kind, name.clone(), text)
            });
            around.push((node.end_byte(), name, kind));
        } else if node.kind() == "impl_item" || node.kind() == "extension_declaration" {
            let of = node.child_by_field_name("type");
            let name = of.map_or(String::new(), |of| text_of(of, text).to_owned());
            around.push((node.end_byte(), name, DefinitionKind::Type));
        }

        let may_have_more = !is_list_of_parameters(node) && !node.is_error();
        if may_have_more && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(found);
            }
        }
    }
}

fn is_of_table(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::Key | DefinitionKind::Arm)
}

fn holder(around: &[(usize, String, DefinitionKind)]) -> Option<String> {
    let (_, name, kind) = around.last()?;
    let is_holder = !matches!(kind, DefinitionKind::Function | DefinitionKind::Arm);
    (is_holder && !name.is_empty()).then(|| name.clone())
}

/// What a node gives a name to, and the name. `in_type`: whether it is in a type's body.
fn named(node: Node<'_>, text: &str, in_type: bool) -> Option<(DefinitionKind, String)> {
    let parent = node.parent()?;
    let kind = match node.kind() {
        "function_definition"
        | "function_item"
        | "function_signature_item"
        | "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "method_declaration"
        | "method_signature"
        | "abstract_method_signature"
        | "function_signature"
        | "method_elem"
        | "method_spec"
        | "constructor_declaration"
        | "method"
        | "singleton_method"
        | "preproc_function_def"
        | "protocol_function_declaration"
        | "init_declaration" => DefinitionKind::Function,
        "class_definition"
        | "class_declaration"
        | "abstract_class_declaration"
        | "class"
        | "struct_item"
        | "enum_item"
        | "union_item"
        | "trait_item"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "struct_declaration"
        | "protocol_declaration"
        | "trait_declaration"
        | "object_declaration"
        | "struct_specifier"
        | "class_specifier"
        | "union_specifier"
        | "enum_specifier"
        | "type_spec" => DefinitionKind::Type,
        "type_item" | "type_alias_declaration" | "type_alias" => DefinitionKind::Value,
        "enum_variant"
        | "enumerator"
        | "enum_assignment"
        | "enum_constant"
        | "enum_member_declaration"
        | "enum_case"
        | "enum_entry" => DefinitionKind::Variant,
        "property_identifier" if parent.kind() == "enum_body" => DefinitionKind::Variant,
        "const_spec" if parent.named_child_count() > 1 => DefinitionKind::Variant,
        "const_item" | "static_item" | "const_spec" | "var_spec" | "preproc_def" => {
            DefinitionKind::Value
        }
        "property_signature"
        | "public_field_definition"
        | "field_definition"
        | "property_declaration" => DefinitionKind::Field,
        "field_declaration" | "declaration" if parameters_of(node).is_some() => {
            DefinitionKind::Function
        }
        "field_declaration" => DefinitionKind::Field,
        "variable_declarator" if parameters_of(node).is_some() => DefinitionKind::Function,
        "assignment" if in_type => DefinitionKind::Field,
        "declaration" | "variable_declarator" | "assignment" => DefinitionKind::Value,
        "pair" | "block_mapping_pair" | "flow_pair" | "keyed_element" => DefinitionKind::Key,
        "match_arm"
        | "case_statement"
        | "switch_case"
        | "expression_case"
        | "case_clause"
        | "switch_block_statement_group"
        | "switch_rule"
        | "when_entry" => DefinitionKind::Arm,
        _ => return None,
    };
    // A type that is only mentioned has no body.
    if node.kind().ends_with("_specifier") && node.child_by_field_name("body").is_none() {
        return None;
    }
    let name = match kind {
        DefinitionKind::Arm => name_of_arm(node, text)?,
        _ => name_of(node, text)?,
    };
    (!name.is_empty()).then(|| (kind, name.to_owned()))
}

fn of_node(node: Node<'_>, kind: DefinitionKind, name: String, text: &str) -> Declared {
    let list = match kind {
        DefinitionKind::Variant => node.child_by_field_name("body"),
        DefinitionKind::Function | DefinitionKind::Type => parameters_of(node),
        _ => None,
    };
    let mut parameters = Vec::new();
    if let Some(list) = list {
        let mut cursor = list.walk();
        for node in list.named_children(&mut cursor) {
            if !node.kind().contains("comment") {
                let name = name_of(node, text).unwrap_or_default().to_owned();
                parameters.push((name, text_of(node, text).to_owned()));
            }
        }
    }

    // A function that is the value of a name.
    let value = node.child_by_field_name("value");
    let inner = value.filter(|it| is_function(it.kind())).unwrap_or(node);
    let result: &[&str] = match kind {
        DefinitionKind::Function | DefinitionKind::Field => {
            &["return_type", "result", "returns", "type"]
        }
        _ => &[],
    };
    Declared {
        kind,
        name,
        within: Vec::new(),
        holder: None,
        parameters,
        result: text_of_field(inner, result, text),
        value: text_of_field(inner, &["body", "value", "right"], text),
        lines: lines_of(node),
        parent: parent_of(node),
    }
}

/// The text of the first of these fields that a node has.
fn text_of_field(node: Node<'_>, fields: &[&str], text: &str) -> String {
    let mut fields = fields.iter();
    let field = fields.find_map(|field| node.child_by_field_name(field));
    field.map_or("", |field| text_of(field, text)).to_owned()
}

/// The node that holds a thing and its siblings, beyond what is around each one of them.
fn parent_of(node: Node<'_>) -> usize {
    let mut parent = node.parent();
    while let Some(node) = parent {
        let is_of_one = matches!(
            node.kind(),
            "expression_statement"
                | "lexical_declaration"
                | "variable_declaration"
                | "export_statement"
                | "type_declaration"
                | "decorated_definition"
                | "field_declaration"
        );
        if !is_of_one {
            return node.id();
        }
        parent = node.parent();
    }
    0
}

/// The parameters of a function, or of one that is the value of a name.
fn parameters_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut inner = Some(node);
    while let Some(node) = inner {
        if let Some(parameters) = node.child_by_field_name("parameters") {
            return Some(parameters);
        }
        let value = node.child_by_field_name("value");
        inner = node
            .child_by_field_name("declarator")
            .or_else(|| value.filter(|it| is_function(it.kind())));
    }
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find(|it| is_list_of_parameters(*it))
}

fn is_function(kind: &str) -> bool {
    matches!(kind, "arrow_function" | "function_expression" | "function")
}

fn is_list_of_parameters(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "parameters"
            | "parameter_list"
            | "formal_parameters"
            | "method_parameters"
            | "function_value_parameters"
            | "preproc_params"
    )
}

/// The name in a node, without quotes.
fn name_of<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let mut inner = node;
    // Deeper than any declarator.
    for _ in 0..16 {
        if is_name(inner) {
            return Some(text_of(inner, text).trim_matches(['"', '\'', '`']));
        }
        let fields = ["name", "key", "left", "pattern", "declarator", "property"];
        let by_field = fields
            .iter()
            .find_map(|field| inner.child_by_field_name(field));
        let mut cursor = inner.walk();
        inner = match by_field {
            Some(field) => field,
            None => inner
                .named_children(&mut cursor)
                .find(|child| !child.kind().contains("modifier"))?,
        };
    }
    None
}

/// The last part of the name that an arm is for: `Blue` in `Color::Blue(depth) =>`.
fn name_of_arm<'t>(arm: Node<'_>, text: &'t str) -> Option<&'t str> {
    let mut cursor = arm.walk();
    let pattern = match arm.kind() {
        "match_arm" => arm.child_by_field_name("pattern"),
        "case_statement" | "switch_case" | "expression_case" => arm.child_by_field_name("value"),
        _ => arm.named_children(&mut cursor).next(),
    };
    let pattern = text_of(pattern?, text);
    let pattern = pattern.strip_prefix("case ").unwrap_or(pattern);
    let whole = pattern.split(['(', '{', ' ', '\n']).next()?;
    let name = whole.trim_matches(['"', '\'', '`']);
    let name = name.rsplit(['.', ':']).next()?;
    (is_identifier(name) && !matches!(name, "_" | "default" | "else")).then_some(name)
}

/// Whether a node is a name, or a text that serves as one.
fn is_name(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind.ends_with("identifier") && node.child_by_field_name("name").is_none()
        || kind.ends_with("_scalar")
        || kind.ends_with("_key")
        || kind == "string"
        || kind == "string_literal"
        || kind == "interpreted_string_literal"
        || kind == "constant"
}

pub(super) fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The lines of a node, counted from 1.
pub(super) fn lines_of(node: Node<'_>) -> RangeInclusive<usize> {
    let (start, end) = (node.start_position(), node.end_position());
    // A node may end with the newline after its last line.
    let last = end.row - usize::from(end.column == 0 && end.row > start.row);
    start.row + 1..=last + 1
}
