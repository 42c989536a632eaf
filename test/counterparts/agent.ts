import { fileURLToPath } from 'node:url';
import type {
  AgentArgument,
  AgentCallName,
  AgentReply,
  AgentRequest,
  AgentResult,
  HttpAnswer,
  HttpEcho,
  HttpRequest,
} from './agent/calls.js';
import { startManagedProcess } from './managed-process.js';
import type { NetworkNamespace } from './network.js';

/** A Node process inside a namespace: the workload's apps, their clients, and our hands and eyes in there. */
export interface Agent {
  /** Asks it to do something there (see agent/calls.ts); its failure is thrown here. */
  call<Name extends AgentCallName>(name: Name, argument: AgentArgument<Name>): Promise<AgentResult<Name>>;
  /** An HTTP request from inside. */
  request(url: string, options?: Omit<HttpRequest, 'url'>): Promise<HttpAnswer>;
  /** An HTTP request from inside to an echo; throws unless it answered 200. */
  requestEcho(url: string, options?: Omit<HttpRequest, 'url'>): Promise<HttpEcho>;
  stop(): Promise<void>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const AGENT_PROGRAM = fileURLToPath(new URL('./agent/main.js', import.meta.url));

export function startAgent(namespace: NetworkNamespace): Agent {
  const name = `agent in ${namespace.name}`;
  const program = startManagedProcess({
    name,
    command: namespace.enter([process.execPath, AGENT_PROGRAM]),
    ipc: true,
  });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;

  program.child.on('message', (reply: AgentReply) => {
    const entry = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) entry?.reject(new Error(`${name}: ${reply.error}`));
    else entry?.resolve(reply.result);
  });
  program.exited.then(
    () => {
      for (const { reject } of waiting.values()) reject(new Error(`${name} has ended: ${program.tail()}`));
      waiting.clear();
    },
    () => undefined,
  );

  const call: Agent['call'] = (callName, argument) =>
    new Promise((resolve, reject) => {
      if (!program.isRunning()) {
        reject(new Error(`${name} has ended: ${program.tail()}`));
        return;
      }
      const id = ++lastId;
      // The agent answers a call with the result of exactly that call.
      waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      const message: AgentRequest = { id, name: callName, argument };
      program.child.send(message);
    });
  const request: Agent['request'] = (url, options = {}) => call('requestHttp', { url, ...options });

  return {
    call,
    request,
    async requestEcho(url, options = {}) {
      const answer = await request(url, options);
      if (answer.status !== 200) throw new Error(`${name}: ${url} answered ${answer.status}: ${answer.body}`);
      return JSON.parse(answer.body) as HttpEcho;
    },
    stop: () => program.stop(),
  };
}
