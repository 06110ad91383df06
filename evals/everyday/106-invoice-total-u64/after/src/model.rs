use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    pub id: u32,
    pub name: String,
    pub vat_id: Option<String>,
    pub discount_percent: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineItem {
    pub article: u32,
    pub text: String,
    pub quantity: u32,
    pub unit_cents: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    pub number: u32,
    pub customer: u32,
    pub items: Vec<LineItem>,
    pub total_cents: u64,
    pub tax_percent: u8,
    pub paid: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreditNote {
    pub number: u32,
    pub invoice: u32,
    pub total_cents: u32,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    pub id: u32,
    pub invoice: u32,
    pub amount_cents: u32,
    pub method: PaymentMethod,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentMethod {
    Transfer,
    DirectDebit,
    Card,
    Cash,
}

impl Invoice {
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn file_name(&self) -> String {
        format!("invoice-{:06}.pdf", self.number)
    }
}

impl CreditNote {
    pub fn file_name(&self) -> String {
        format!("credit-{:06}.pdf", self.number)
    }
}
