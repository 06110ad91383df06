use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Turns a folder of Markdown into a website.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Cli {
    /// The site's folder
    #[arg(short, long, default_value = ".")]
    pub root: PathBuf,

    /// More output; may be given twice
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build the site once
    Build(BuildArgs),
    /// Build the site and show a preview that follows changes
    Serve(ServeArgs),
    /// Forward requests to a running site, for testing redirects
    Proxy(ProxyArgs),
}

#[derive(Debug, Args)]
pub struct BuildArgs {
    /// Where the pages go
    #[arg(short, long, default_value = "public")]
    pub output: PathBuf,

    /// Number of threads
    #[arg(short, long, default_value_t = 4)]
    pub jobs: usize,

    /// Build pages marked as drafts as well
    #[arg(long)]
    pub drafts: bool,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to bind
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,

    /// Port to listen on
    #[arg(short, long, default_value_t = 8080)]
    pub port: u16,

    /// Port of the live reload socket
    #[arg(long, default_value_t = 8081)]
    pub reload_port: u16,

    /// Open the browser
    #[arg(long)]
    pub open: bool,
}

#[derive(Debug, Args)]
pub struct ProxyArgs {
    /// Site to forward to
    pub upstream: String,

    /// Port to listen on
    #[arg(short, long, default_value_t = 8080)]
    pub port: u16,

    /// Seconds to wait for an answer
    #[arg(long, default_value_t = 15)]
    pub timeout: u64,
}

impl ServeArgs {
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}
