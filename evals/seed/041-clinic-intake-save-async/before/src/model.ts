export type Answer = string | number | boolean | string[];

export type Answers = Record<string, Answer>;

export interface Question {
  key: string;
  text: string;
  kind: "text" | "number" | "yesno" | "choice";
  choices?: string[];
  required: boolean;
}

export interface Form {
  name: string;
  title: string;
  questions: Question[];
}

export interface Draft {
  id: string;
  form: string;
  answers: Answers;
  saved: Date;
}
