//! A thread on which tasks run one after the other.

use futures_util::future::LocalBoxFuture;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// The most waiting tasks. Sending a further one waits too.
const MAX_WAITING: usize = 16;

/// What the tasks of a [`Worker`] work with.
pub trait Desk {
    /// Comes after each task, when its answer is on its way.
    fn settle(&mut self) -> impl Future<Output = ()> {
        std::future::ready(())
    }

    /// Comes once when there was no task for as long as the worker's idle time.
    fn rest(&mut self);
}

type Job<D> = Box<dyn for<'d> FnOnce(&'d mut D) -> LocalBoxFuture<'d, ()> + Send>;

/// A thread with a [`Desk`]. Dropping it cancels the task that runs, at the next point where that
/// waits for something, and waits for the thread.
#[derive(Debug)]
pub struct Worker<D> {
    handle: Handle<D>,
    /// Dropped, it ends the thread.
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Sends tasks to a [`Worker`].
#[derive(Debug)]
pub struct Handle<D> {
    jobs: mpsc::Sender<Job<D>>,
}

impl<D> Clone for Handle<D> {
    fn clone(&self) -> Handle<D> {
        Handle {
            jobs: self.jobs.clone(),
        }
    }
}

/// The worker has ended, or the task panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the worker has ended: start the program again")]
pub struct Ended;

impl<D: Desk + 'static> Worker<D> {
    /// Starts a thread with the desk that `make` makes there. After `idle` without a task the desk
    /// rests.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub fn start(
        idle: Duration,
        make: impl FnOnce() -> D + Send + 'static,
    ) -> std::io::Result<Worker<D>> {
        let (jobs, waiting) = mpsc::channel(MAX_WAITING);
        let (end, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = std::thread::Builder::new()
            .name("tasks".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    let mut desk = make();
                    tokio::select! {
                        () = work(&mut desk, waiting, idle) => {}
                        _ = ended => {}
                    }
                });
                // A walk through a large folder may go on; its result is not needed.
                runtime.shutdown_background();
            })?;
        Ok(Worker {
            handle: Handle { jobs },
            end: Some(end),
            thread: Some(thread),
        })
    }

    /// What sends tasks to it.
    pub fn handle(&self) -> Handle<D> {
        self.handle.clone()
    }
}

impl<D> Drop for Worker<D> {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic of the thread was said where it happened
        }
    }
}

impl<D: 'static> Handle<D> {
    /// Runs a task after those that were sent before, and gives its result. Dropping the future
    /// cancels the task, if it has begun at the next point where it waits for something.
    ///
    /// # Errors
    /// [`Ended`] if the worker ends before the task does.
    pub async fn run<T: Send + 'static>(
        &self,
        task: impl AsyncFnOnce(&mut D) -> T + Send + 'static,
    ) -> Result<T, Ended> {
        let (mut answer, answered) = oneshot::channel();
        let job: Job<D> = Box::new(move |desk| {
            Box::pin(async move {
                let result = tokio::select! {
                    biased;
                    () = answer.closed() => return, // cancelled
                    result = task(desk) => result,
                };
                let _ = answer.send(result);
            })
        });
        self.jobs.send(job).await.map_err(|_| Ended)?;
        answered.await.map_err(|_| Ended)
    }
}

async fn work<D: Desk>(desk: &mut D, mut jobs: mpsc::Receiver<Job<D>>, idle: Duration) {
    loop {
        let job = match timeout(idle, jobs.recv()).await {
            Ok(job) => job,
            Err(_) => {
                desk.rest();
                jobs.recv().await
            }
        };
        let Some(job) = job else { return };
        job(desk).await;
        desk.settle().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Remembers what happened to it.
    #[derive(Default)]
    struct Noted(Arc<Mutex<Vec<String>>>);

    impl Noted {
        fn note(&self, what: &str) {
            self.0.lock().unwrap().push(what.to_owned());
        }
    }

    impl Desk for Noted {
        async fn settle(&mut self) {
            self.note("settled");
        }

        fn rest(&mut self) {
            self.note("rested");
        }
    }

    fn worker(idle: Duration) -> (Worker<Noted>, Arc<Mutex<Vec<String>>>) {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let desk = Noted(Arc::clone(&notes));
        (Worker::start(idle, || desk).unwrap(), notes)
    }

    const LONG: Duration = Duration::from_secs(3_600);

    #[tokio::test]
    async fn tasks_run_one_after_the_other() {
        let (worker, notes) = worker(LONG);
        let handle = worker.handle();
        let task = async |desk: &mut Noted| {
            desk.note("begins");
            tokio::task::yield_now().await;
            desk.note("ends");
        };
        let both = futures_util::future::join(handle.run(task), handle.run(task)).await;
        assert_eq!(both, (Ok(()), Ok(())));
        drop(worker);
        let expected = ["begins", "ends", "settled", "begins", "ends", "settled"];
        assert_eq!(*notes.lock().unwrap(), expected);
    }

    #[tokio::test]
    async fn a_cancelled_task_ends_where_it_waits_and_the_next_one_runs() {
        let (worker, notes) = worker(LONG);
        let handle = worker.handle();
        let (begun, has_begun) = oneshot::channel();
        let stuck = handle.run(async move |desk: &mut Noted| {
            desk.note("begins");
            let _ = begun.send(());
            std::future::pending::<()>().await;
        });
        tokio::select! {
            _ = stuck => panic!("it waits for ever"),
            begun = has_begun => begun.unwrap(),
        }
        assert_eq!(
            handle.run(async |desk: &mut Noted| desk.note("next")).await,
            Ok(())
        );
        drop(worker);
        assert_eq!(
            *notes.lock().unwrap(),
            ["begins", "settled", "next", "settled"]
        );
    }

    #[tokio::test]
    async fn a_worker_that_is_dropped_ends_its_task() {
        let (worker, _) = worker(LONG);
        let handle = worker.handle();
        let (begun, has_begun) = oneshot::channel();
        let stuck = tokio::spawn(async move {
            handle
                .run(async move |_: &mut Noted| {
                    let _ = begun.send(());
                    std::future::pending::<()>().await;
                })
                .await
        });
        has_begun.await.unwrap();
        drop(worker);
        assert_eq!(stuck.await.unwrap(), Err(Ended));
    }

    #[tokio::test]
    async fn a_desk_without_a_task_rests_once_and_works_again() {
        let (worker, notes) = worker(Duration::from_millis(1));
        let handle = worker.handle();
        while notes.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(
            handle.run(async |desk: &mut Noted| desk.note("task")).await,
            Ok(())
        );
        drop(worker);
        assert_eq!(notes.lock().unwrap()[..3], ["rested", "task", "settled"]);
    }
}
