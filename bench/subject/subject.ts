import type { Expectation } from '../client/expectation.js';
import type { MeshChange } from '../mesh/mesh-change.js';

/** The phases of a run, in order. */
export const PHASES = ['first-sync', 'endpoint', 'service', 'route', 'reconnect', 'storm'] as const;
export type Phase = (typeof PHASES)[number];
export type ChangePhase = Exclude<Phase, 'first-sync' | 'reconnect'>;

/** One repeat of one phase. */
export type Step =
  | { readonly phase: 'first-sync' | 'reconnect'; readonly repeat: number }
  | {
      readonly phase: ChangePhase;
      readonly repeat: number;
      readonly change: MeshChange;
      /** Made before the counted changes, so that these meet compiled code. Default false. */
      readonly isWarmUp?: boolean;
    };

/** Whether a step is left out of the results. */
export function isWarmUp(step: Step): boolean {
  return 'isWarmUp' in step && step.isWarmUp === true;
}

export function expectationOf(step: Step): Expectation {
  if (step.phase === 'storm') return { kind: 'storm', markers: step.change.markers };
  return 'change' in step ? { kind: 'change', markers: step.change.markers } : { kind: 'sync' };
}

/** A running ADS server that the clients measure: the discovery server, the floor, or any other. */
export interface Subject {
  /** host:port */
  readonly address: string;
  /** Undefined when its process cannot be looked into. */
  readonly pid: number | undefined;
  /** From the start of the process until it said that it was ready, in milliseconds. */
  readonly readyMs: number | undefined;
  /** Never resolves; rejects when the subject's process ends by itself. */
  readonly failed: Promise<never>;
  /** Unmeasured preparation: stages the change, loads the recorded messages. */
  prepare(step: Step): Promise<void>;
  /** Makes the change of the prepared step. */
  trigger(): Promise<void>;
  /** The longest block of the event loop since the last call, in milliseconds; absent when it cannot be read. */
  readonly longestBlockMs?: () => Promise<number>;
  stop(): Promise<void>;
}

/** Restarts a subject: each first sync needs a fresh one. */
export type StartSubject = () => Promise<Subject>;
