// The package has no types of its own. These are the parts that port-forward.ts uses.
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage, RequestOptions } from 'node:http';

  export class WebSocket extends EventEmitter {
    readonly protocol: string;
    constructor(address: URL, protocols: readonly string[], options: RequestOptions & { readonly maxPayload?: number });
    send(data: Buffer, done: (error?: Error) => void): void;
    close(): void;
    terminate(): void;
    on(event: 'open', listener: () => void): this;
    on(event: 'message', listener: (data: Buffer) => void): this;
    on(event: 'close', listener: (code: number, reason: Buffer) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: 'unexpected-response', listener: (request: unknown, response: IncomingMessage) => void): this;
  }
}
