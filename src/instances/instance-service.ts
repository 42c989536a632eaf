import type { ReadPage } from '../introspection/instances.js';
import type { WorkloadIdentity } from '../model/spiffe-id.js';
import type { GrpcService } from '../net/grpc-service.js';
import type { CallGate } from '../xds/call-gate.js';
import { type ByteCall, createMessageService } from '../xds/message-service.js';
import type { SessionEnvironment } from '../xds/session-environment.js';
import { StreamError } from '../xds/stream-error.js';
import {
  INSTANCE_SERVICE,
  type InstanceMessage,
  MAX_ANSWER_BYTES,
  READ_METHOD,
  readQuestion,
  writeMessage,
} from './instance-message.js';

export interface InstanceServiceParts {
  readonly environment: SessionEnvironment;
  readonly gate: CallGate;
  readonly own: Pick<InstanceMessage, 'id' | 'name'>;
  /** Whether an identity is that of the control plane. No other caller sees a page. */
  readonly isInstance: (identity: WorkloadIdentity) => boolean;
  readonly readPage: ReadPage;
}

/** Answers other instances of the control plane with pages of this one (docs/debug-pages.md#all-instances). */
export function createInstanceService({
  environment,
  gate,
  own,
  isInstance,
  readPage,
}: InstanceServiceParts): GrpcService {
  const answer = async (call: ByteCall, bytes: Buffer): Promise<number> => {
    const question = readQuestion(bytes);
    if (question === undefined) throw new StreamError('INVALID_ARGUMENT', 'the message is no question for a page');
    const page = writeMessage({ ...own, ...(await readPage(question)) });
    if (page.length > MAX_ANSWER_BYTES) {
      throw new StreamError('RESOURCE_EXHAUSTED', `the page has ${page.length} bytes, more than ${MAX_ANSWER_BYTES}`);
    }
    if (!call.cancelled) call.write(page);
    return 1;
  };
  return createMessageService({
    ...{ environment, gate, service: INSTANCE_SERVICE, failure: 'page for another instance failed' },
    methods: [READ_METHOD],
    accept: ({ call, identities = [] }) => {
      if (!identities.some(isInstance)) {
        throw new StreamError('PERMISSION_DENIED', 'only instances of the control plane read the pages of this one');
      }
      return { receive: (bytes) => answer(call, bytes) };
    },
  });
}
