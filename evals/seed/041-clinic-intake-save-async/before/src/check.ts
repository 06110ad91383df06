import type { Answers, Form } from "./model.js";

export function missingAnswers(form: Form, answers: Answers): string[] {
  return form.questions
    .filter((question) => question.required)
    .filter((question) => {
      const answer = answers[question.key];
      return answer === undefined || answer === "" || (Array.isArray(answer) && answer.length === 0);
    })
    .map((question) => question.key);
}

export function unknownAnswers(form: Form, answers: Answers): string[] {
  const known = new Set(form.questions.map((question) => question.key));
  return Object.keys(answers).filter((key) => !known.has(key));
}
