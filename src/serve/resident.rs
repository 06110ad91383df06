//! One engine, kept for the next task.

use crate::engine::{Answer, Engine, EngineError, ModelInfo, Progress, Request};

/// Starts the engine of a [`Resident`], again and again if it must.
pub trait StartEngine {
    /// What answers.
    type Engine: Engine;
    /// Why it cannot be started.
    type Error;

    /// Starts the engine.
    fn start(
        &mut self,
        progress: &mut dyn FnMut(Progress),
    ) -> impl Future<Output = Result<Self::Engine, Self::Error>>;
}

/// An engine that stays loaded from one task to the next.
///
/// A task that is cancelled ends the engine: its process is in the middle of an answer. The next
/// task starts another one.
#[derive(Debug)]
pub struct Resident<S: StartEngine> {
    starter: S,
    /// `None` before the first task, after a rest, and while a task has it.
    engine: Option<Loaded<S::Engine>>,
}

impl<S: StartEngine> Resident<S> {
    /// Nothing is started yet.
    pub fn new(starter: S) -> Resident<S> {
        Resident {
            starter,
            engine: None,
        }
    }

    /// What starts the engine.
    pub fn starter(&self) -> &S {
        &self.starter
    }

    /// The same, to be changed. What is loaded already stays as it is: see [`Resident::unload`].
    pub fn starter_mut(&mut self) -> &mut S {
        &mut self.starter
    }

    /// Whether an engine is loaded.
    pub fn is_loaded(&self) -> bool {
        self.engine.is_some()
    }

    /// Does some work with the engine, and starts it if it does not run. If an engine of an earlier
    /// task turns out to have ended before it gave this one an answer, the work is begun once more
    /// with a new one.
    ///
    /// # Errors
    /// The outer error if the engine cannot be started, the inner one if the work failed.
    pub async fn run<T, E>(
        &mut self,
        progress: &mut dyn FnMut(Progress),
        mut work: impl AsyncFnMut(&mut Loaded<S::Engine>, &mut dyn FnMut(Progress)) -> Result<T, E>,
    ) -> Result<Result<T, E>, S::Error> {
        loop {
            let earlier = self.engine.take();
            let is_of_earlier_task = earlier.is_some();
            let mut engine = match earlier {
                Some(engine) => engine,
                None => Loaded::new(self.starter.start(progress).await?),
            };
            engine.has_answered = false;
            let result = work(&mut engine, progress).await;
            if engine.is_sound {
                self.engine = Some(engine);
            } else if is_of_earlier_task && !engine.has_answered && result.is_err() {
                // It was killed while it was idle, perhaps for want of memory.
                continue;
            }
            return Ok(result);
        }
    }

    /// Keeps what was read on disk, for the time after this engine.
    pub async fn keep_read(&mut self) {
        let Some(mut engine) = self.engine.take() else {
            return;
        };
        // If it cannot be kept, it is read again.
        let _ = engine.keep_read().await;
        if engine.is_sound {
            self.engine = Some(engine);
        }
    }

    /// Ends the engine, and frees its memory.
    pub fn unload(&mut self) {
        self.engine = None;
    }
}

/// A started engine, watched for whether it can be used for another task.
#[derive(Debug)]
pub struct Loaded<E> {
    engine: E,
    /// False while it answers, and after it has ended.
    is_sound: bool,
    /// Whether it has answered anything in this task.
    has_answered: bool,
}

impl<E> Loaded<E> {
    fn new(engine: E) -> Loaded<E> {
        Loaded {
            engine,
            is_sound: true,
            has_answered: false,
        }
    }

    /// The engine itself.
    pub fn inner(&self) -> &E {
        &self.engine
    }

    fn note<T>(&mut self, result: Result<T, EngineError>) -> Result<T, EngineError> {
        self.is_sound = match &result {
            Ok(_) => true,
            Err(error) => !matches!(
                error,
                EngineError::Crashed { .. } | EngineError::Hangs { .. } | EngineError::Process(_)
            ),
        };
        self.has_answered |= result.is_ok();
        result
    }
}

impl<E: Engine> Engine for Loaded<E> {
    fn model(&self) -> &ModelInfo {
        self.engine.model()
    }

    fn forces_answers(&self) -> bool {
        self.engine.forces_answers()
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.is_sound = false;
        let result = self.engine.count_tokens(texts).await;
        self.note(result)
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        self.is_sound = false;
        let result = self.engine.complete(request, progress).await;
        self.note(result)
    }

    async fn keep_read(&mut self) -> Result<(), EngineError> {
        self.is_sound = false;
        let result = self.engine.keep_read().await;
        self.note(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// What an engine does when it is asked.
    type Turn = Result<(), fn() -> EngineError>;

    /// Starts engines, each of which gives these results in turn.
    struct Script {
        engines: VecDeque<Vec<Turn>>,
        n_starts: usize,
    }

    struct Scripted {
        results: VecDeque<Turn>,
        model: ModelInfo,
    }

    impl StartEngine for Script {
        type Engine = Scripted;
        type Error = &'static str;

        async fn start(&mut self, _: &mut dyn FnMut(Progress)) -> Result<Scripted, &'static str> {
            self.n_starts += 1;
            let results = self.engines.pop_front().ok_or("there is no model")?;
            Ok(Scripted {
                results: results.into(),
                model: ModelInfo::default(),
            })
        }
    }

    impl Engine for Scripted {
        fn model(&self) -> &ModelInfo {
            &self.model
        }

        async fn count_tokens(&mut self, _: &[&str]) -> Result<Vec<usize>, EngineError> {
            match self.results.pop_front() {
                Some(Ok(())) => Ok(vec![1]),
                Some(Err(error)) => Err(error()),
                None => std::future::pending().await,
            }
        }

        async fn complete(
            &mut self,
            _: &Request,
            _: &mut dyn FnMut(Progress),
        ) -> Result<Answer, EngineError> {
            unreachable!("the tests count tokens only")
        }
    }

    const CRASH: Turn = Err(|| EngineError::Crashed {
        how: "signal 9".to_owned(),
        log: Vec::new(),
    });
    const TOO_LONG: Turn = Err(|| EngineError::PromptTooLong {
        n_tokens: 9,
        max: 8,
    });

    fn resident(engines: &[&[Turn]]) -> Resident<Script> {
        let engines = engines.iter().map(|results| results.to_vec()).collect();
        Resident::new(Script {
            engines,
            n_starts: 0,
        })
    }

    /// Asks the engine so often in one task.
    async fn ask(resident: &mut Resident<Script>, n: usize) -> String {
        let progress = &mut |_| {};
        let asked = resident.run(progress, async |engine, _| {
            for _ in 0..n {
                engine.count_tokens(&["a"]).await?;
            }
            Ok::<_, EngineError>(())
        });
        match asked.await {
            Ok(Ok(())) => "answered".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_owned(),
        }
    }

    #[tokio::test]
    async fn tasks_share_one_engine_until_it_rests() {
        let mut resident = resident(&[&[Ok(()), TOO_LONG, Ok(())], &[Ok(())]]);
        assert_eq!(ask(&mut resident, 1).await, "answered");
        assert!(
            ask(&mut resident, 1).await.contains("9 tokens"),
            "an error is no crash"
        );
        assert_eq!(ask(&mut resident, 1).await, "answered");
        assert_eq!(resident.starter.n_starts, 1);
        resident.unload();
        assert!(!resident.is_loaded());
        assert_eq!(ask(&mut resident, 1).await, "answered");
        assert_eq!(resident.starter.n_starts, 2);
    }

    #[tokio::test]
    async fn an_engine_that_died_between_two_tasks_is_started_again() {
        let mut resident = resident(&[&[Ok(()), CRASH], &[Ok(())]]);
        assert_eq!(ask(&mut resident, 1).await, "answered");
        assert_eq!(ask(&mut resident, 1).await, "answered");
        assert_eq!(resident.starter.n_starts, 2);
    }

    #[tokio::test]
    async fn a_crash_in_the_middle_of_a_task_is_said_and_the_next_task_goes_on() {
        let mut resident = resident(&[&[CRASH], &[Ok(()), Ok(()), CRASH], &[Ok(())]]);
        assert!(
            ask(&mut resident, 1).await.contains("ended unexpectedly"),
            "a new one crashed"
        );
        assert_eq!(ask(&mut resident, 1).await, "answered");
        assert!(
            ask(&mut resident, 2).await.contains("ended unexpectedly"),
            "after an answer"
        );
        assert!(!resident.is_loaded());
        assert_eq!(ask(&mut resident, 1).await, "answered");
        assert_eq!(resident.starter.n_starts, 3);
        resident.unload();
        assert_eq!(ask(&mut resident, 1).await, "there is no model");
    }

    #[tokio::test]
    async fn a_cancelled_task_ends_its_engine() {
        let mut resident = resident(&[&[Ok(())], &[Ok(())]]);
        assert_eq!(ask(&mut resident, 1).await, "answered");
        tokio::select! {
            biased;
            answer = ask(&mut resident, 1) => panic!("{answer}"),
            () = std::future::ready(()) => {}
        }
        assert!(!resident.is_loaded());
        assert_eq!(ask(&mut resident, 1).await, "answered");
        assert_eq!(resident.starter.n_starts, 2);
    }
}
