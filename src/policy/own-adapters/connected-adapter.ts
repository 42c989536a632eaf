import type { TemplateWire } from '../../config/policy-rules/descriptors/template-wire.js';
import { AdapterError } from './adapter-error.js';
import type { AdapterSession } from './adapter-session.js';
import { type AdapterRequest, encodeRequest } from './wire/encode-request.js';

/** What a call has beside the parameters of the handler. */
export type CallContent = Omit<AdapterRequest, 'adapterConfig'>;

/** An adapter with the parameters of one handler. */
export interface ConnectedAdapter {
  /** @throws AdapterError without an answer */
  call(template: TemplateWire, content: CallContent): Promise<Buffer>;
  /** Calls back whenever calls are possible again. @returns a function that stops it */
  onReady(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface ConnectedAdapterOptions {
  readonly call: (method: string, request: Buffer) => Promise<Buffer>;
  /** The parameters, a google.protobuf.Any; undefined for an adapter without any, and for one with sessions. */
  readonly config: Uint8Array | undefined;
  /** Of an adapter with sessions. */
  readonly session: AdapterSession | undefined;
  readonly onReady: ConnectedAdapter['onReady'];
  readonly close: () => void;
}

/** Codes with which an adapter can say that it does not know a session. */
const LOST_SESSION: ReadonlySet<string> = new Set(['NOT_FOUND', 'FAILED_PRECONDITION']);

export function createConnectedAdapter(options: ConnectedAdapterOptions): ConnectedAdapter {
  const { call, config, session, onReady, close } = options;
  const callWith = (template: TemplateWire, content: CallContent, adapterConfig: Uint8Array | undefined) =>
    call(template.method, encodeRequest(template, { ...content, adapterConfig }));
  return {
    call: async (template, content) => {
      if (session === undefined) return callWith(template, content, config);
      const open = await session.config();
      try {
        return await callWith(template, content, open);
      } catch (error) {
        if (!(error instanceof AdapterError) || !LOST_SESSION.has(error.code)) throw error;
        session.lost(open);
        return callWith(template, content, await session.config());
      }
    },
    onReady,
    close: async () => {
      await session?.close();
      close();
    },
  };
}
