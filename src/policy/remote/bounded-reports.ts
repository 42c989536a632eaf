import {
  type CallOptions,
  type PolicyTransport,
  PolicyTransportError,
  type ReportRequest,
} from '../client/policy-transport.js';

/** Report calls under way at once. A backend that takes none for long must not fill the memory with what waits. */
const MAX_CALLS = 64;

/**
 * The transport, with few report calls at once: those beyond fail at once instead of waiting.
 *
 * @param onLost told how many reports each failed call had
 * @param maxCalls 64 unless given
 */
export function boundReports(
  transport: PolicyTransport,
  onLost: (reports: number, error: unknown) => void,
  maxCalls = MAX_CALLS,
): PolicyTransport {
  let calls = 0;
  const send = async (request: ReportRequest, options: CallOptions): Promise<void> => {
    if (calls >= maxCalls) throw new PolicyTransportError('send', `${maxCalls} report calls are under way already`);
    calls++;
    try {
      // The client gives a call up after its time, whatever the transport does: it must not count for ever.
      await Promise.race([transport.report(request, options), givenUp(options.signal)]);
    } finally {
      calls--;
    }
  };
  return {
    check: (request, options) => transport.check(request, options),
    async report(request, options) {
      try {
        await send(request, options);
      } catch (error) {
        onLost(request.attributes.length, error);
        throw error;
      }
    },
  };
}

function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new PolicyTransportError('timeout', 'the report call took too long'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
