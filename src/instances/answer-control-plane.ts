import { createBackoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import type { ReadPage } from '../introspection/instances.js';
import type { Logger } from '../telemetry/logger.js';
import type { AdsStream, OpenAdsStream } from '../xds-client/ads-stream.js';
import { type Greeting, MAX_ANSWER_BYTES, readNumberedQuestion, writePolicyMessage } from './policy-server-message.js';

export interface AnswerControlPlaneParts {
  /** Opens the call to the control plane. */
  readonly openStream: OpenAdsStream;
  /** At the time of the call. */
  readonly greeting: () => Greeting;
  readonly readPage: ReadPage;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Scope `adsc`. */
  readonly logger: Logger;
}

/** Lets the control plane read the pages of this policy server, while it is started. */
export interface AnswersControlPlane {
  start(): void;
  stop(): void;
}

const FIRST_RECONNECT_MS = 250;
/** An older control plane, or one that refuses, is called again this often. A call that lasts this long is a success. */
const MAX_RECONNECT_MS = 60_000;

export function createAnswersControlPlane(parts: AnswerControlPlaneParts): AnswersControlPlane {
  const { openStream, greeting, readPage, clock, random, logger } = parts;
  const backoff = createBackoff({ initialMs: FIRST_RECONNECT_MS, maxMs: MAX_RECONNECT_MS, random });
  let stream: AdsStream | undefined;
  let cancelReconnect = (): void => {};

  const answer = async (to: AdsStream | undefined, bytes: Buffer): Promise<void> => {
    const question = readNumberedQuestion(bytes);
    if (question === undefined) return;
    const { number } = question;
    const message = writePolicyMessage({ number, ...(await readPage(question)) });
    const content = `the page has ${message.length} bytes, more than ${MAX_ANSWER_BYTES}`;
    to?.send(message.length > MAX_ANSWER_BYTES ? writePolicyMessage({ number, status: 500, content }) : message);
  };

  const connect = (): void => {
    const openedMs = clock.monotonicMs();
    const opened = openStream({
      received: (bytes) => void answer(opened, bytes),
      ended: (reason) => {
        if (clock.monotonicMs() - openedMs >= MAX_RECONNECT_MS) backoff.reset();
        const delayMs = backoff.nextMs();
        logger.debug(
          { reason, retryInMs: Math.round(delayMs) },
          'control plane does not read the pages of this policy server',
        );
        cancelReconnect = clock.schedule(delayMs, connect);
      },
    });
    stream = opened;
    opened.send(writePolicyMessage(greeting()));
  };

  return {
    start: connect,
    stop: () => {
      cancelReconnect();
      stream?.close();
    },
  };
}
