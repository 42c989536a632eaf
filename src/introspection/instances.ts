/** The form of a page: its data, or its content for people. */
export type PageForm = 'json' | 'html';
/** A page that is read, or a change that is asked of it. */
export type QuestionForm = PageForm | 'change';

/** A page that an instance asks of another one. */
export interface PageQuestion {
  /** Path and query: `/debug/proxies?state=rejected`. */
  readonly path: string;
  readonly form: QuestionForm;
  /** What to change, for the form `change`: the body of a POST, of at most 64 KiB. */
  readonly body?: string;
}

/** A page in one piece. */
export interface RenderedPage {
  /** HTTP status. */
  readonly status: number;
  /** JSON or markup; the reason if the status is above 399. */
  readonly content: string;
}

/** Renders a page of this instance. */
export type ReadPage = (question: PageQuestion) => Promise<RenderedPage>;

/** The page of another instance. */
export interface InstanceAnswer extends RenderedPage {
  /** Name of its pod, or its address. */
  readonly name: string;
}

/** An instance that gave no answer in time. */
export interface SilentInstance {
  readonly name: string;
  readonly reason: string;
}

export interface InstanceAnswers {
  readonly answers: readonly InstanceAnswer[];
  readonly silent: readonly SilentInstance[];
}

/** The other instances of the control plane, or the policy servers that are connected to this one. */
export interface Instances {
  /** Asks all of them at once. Never rejects. */
  ask(question: PageQuestion): Promise<InstanceAnswers>;
}
