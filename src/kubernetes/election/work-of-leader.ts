import { createLeaderElection, type LeaderElectionOptions } from './leader-election.js';

export interface WorkOfLeaderOptions extends Omit<LeaderElectionOptions, 'onChange'> {
  /** This instance leads: starts the work. */
  readonly begin: () => void;
  /** This instance leads no more, or stops. Settles when the work has ended; also called without a `begin`. */
  readonly end: () => Promise<void>;
}

/** Work that this instance does while it leads. */
export interface WorkOfLeader {
  readonly isLeader: boolean;
  /** Settles when the work has ended and the Lease is released. */
  stop(): Promise<void>;
}

/** Takes part in the election of a leader. Changes of the lead are handled one after the other. */
export function startWorkOfLeader({ begin, end, ...options }: WorkOfLeaderOptions): WorkOfLeader {
  let turn: Promise<void> = Promise.resolve();
  const election = createLeaderElection({
    ...options,
    onChange: (isLeader) => {
      turn = turn.then(() => (isLeader ? begin() : end()));
    },
  });
  election.start();
  return {
    get isLeader() {
      return election.isLeader;
    },
    stop: async () => {
      // The work must have ended before another instance leads.
      await turn;
      await end();
      await election.stop();
      await turn;
    },
  };
}
