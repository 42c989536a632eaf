/** Calls that an agent performs in its namespace. Plain data, because Node's IPC carries them. */

export interface HttpRequest {
  /** `http://<ip>[:port]/path` or `https://…`; the address that is connected to. No certificate is verified. */
  readonly url: string;
  /** Server name (SNI) of an `https` URL. */
  readonly serverName?: string;
  /** Sent instead of the URL's own path; a whole URL speaks to an HTTP proxy. */
  readonly path?: string;
  /** Default GET. */
  readonly method?: string;
  /** Set `host` here to name a service while connecting to an address. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

/** Many requests at the same time, each on its own connection. */
export interface HttpRequests {
  readonly requests: readonly HttpRequest[];
  /** How many of them are in flight at a time; default: all. */
  readonly concurrency?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Body of an HTTP echo's answer, as JSON. */
export interface HttpEcho {
  /** Name that the server was started with. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface ServeOptions {
  /** Name of the server in its responses. */
  readonly name: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Default 0.0.0.0. */
  readonly address?: string;
}

export interface ServeTlsOptions extends ServeOptions {
  /** PEM, both. */
  readonly certificate: string;
  readonly key: string;
  /** ALPN protocols; a client that offers any must offer one of them. */
  readonly applicationProtocols: readonly string[];
  /** PEM: roots of client certificates, which are then required; default: clients need none. */
  readonly clientRoots?: string;
  /** Whether the name in responses is followed by ` sni=<server name> client=<names in its certificate>`. */
  readonly tellsHandshake?: boolean;
}

export interface TcpExchange {
  readonly address: string;
  readonly port: number;
  /** Sent once connected; an empty text waits for the server to speak first. */
  readonly send: string;
  /** Answer is complete when it holds this text. */
  readonly until: string;
  /** How texts become bytes and back; default utf8. latin1 sends any bytes. */
  readonly encoding?: 'utf8' | 'latin1';
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

export type TlsVersion = 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';

export interface TlsExchange {
  readonly address: string;
  readonly port: number;
  /** SNI. */
  readonly serverName: string;
  /** ALPN, the preferred one first. */
  readonly applicationProtocols: readonly string[];
  /** PEM; default: the client has none. */
  readonly certificate?: string;
  readonly key?: string;
  /** Default: those of Node. */
  readonly minVersion?: TlsVersion;
  readonly maxVersion?: TlsVersion;
  /** Names of OpenSSL; default: those of Node. */
  readonly ciphers?: string;
  /** Sent once the handshake is done. */
  readonly send: string;
  /** Answer is complete when it holds this text. */
  readonly until: string;
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

export interface TlsAnswer {
  readonly received: string;
  /** Subject alternative names of the certificate that the server showed, for example `DNS:a.b, URI:spiffe://…`. */
  readonly serverNames: string;
  /** Serial number of that certificate. */
  readonly serialNumber: string;
  /** Protocol chosen by ALPN; empty if none. */
  readonly applicationProtocol: string;
  /** Such as `TLSv1.3`, and the cipher suite in the name of OpenSSL. */
  readonly version: string;
  readonly cipher: string;
}

/** Connections that stay open. */
export interface HeldConnections {
  readonly address: string;
  readonly port: number;
  /** Opened at the same time. */
  readonly count: number;
  /** Sent on each connection; any response shows that the connection was accepted. */
  readonly send: string;
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

export interface HeldReport {
  /** Connections that were answered and are open. */
  readonly open: number;
  /** Connections that were closed, by us or by the other side. */
  readonly closed: number;
  /** Over all connections. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/**
 * A relay between Envoys and a server of gRPC or HTTP/1.1 that spoils calls: the server gets and answers each, its answer
 * to the first ones is lost.
 */
export interface RelayOptions {
  readonly address: string;
  readonly port: number;
  /** `http://<ip>:<port>` of the server behind. */
  readonly target: string;
  /** How many calls lose their answer. */
  readonly spoil: number;
  /** Whether a spoilt call's stream is reset (over HTTP/1.1: it gets 502), or its whole connection is closed. */
  readonly by: 'stream' | 'connection';
}

/** A call as it came to the relay. */
export interface RelayedCall {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly path: string;
  readonly spoilt: boolean;
  /** Why the server behind did not answer, or the caller did not wait; empty when it did. */
  readonly failure: string;
}

export interface GrpcCall {
  readonly address: string;
  readonly port: number;
  /** The `:authority` of the call. */
  readonly authority: string;
  readonly message: string;
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

export interface GrpcEcho {
  readonly name: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface LoadOptions {
  readonly request: HttpRequest;
  /** Requests in flight, each following the last without a pause; default 2. */
  readonly concurrency?: number;
  /** A new connection for each request; default false: keep-alive. */
  readonly newConnections?: boolean;
  /** Ends each path with `?n=NUMBER`, from 1, so that each request can be found again; default false. */
  readonly numbered?: boolean;
  /** Statuses that count as success; default 200. */
  readonly expected?: readonly number[];
}

/** An answer whose status is not that of the answer before. */
export interface StatusChange {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly status: number;
  /** How many answers came before it. */
  readonly after: number;
}

export interface LoadReport {
  readonly requests: number;
  readonly failures: number;
  /** The first few failures, in words, with the moment they happened. */
  readonly samples: readonly string[];
  /** Answers by the name of the echo that gave them. */
  readonly byServer: Readonly<Record<string, number>>;
  /** In order, the first answer included. */
  readonly changes: readonly StatusChange[];
}

export interface DnsRecords {
  readonly address: string;
  /** IPv4 addresses by name, without the final dot. */
  readonly records: Readonly<Record<string, readonly string[]>>;
}

export interface AgentCalls {
  /** Starts a server; the answer is its port. */
  serveHttp(options: ServeOptions): Promise<number>;
  serveTcp(options: ServeOptions): Promise<number>;
  /** A TCP server that greets before the client has spoken, as databases do. */
  serveGreeter(options: ServeOptions): Promise<number>;
  serveGrpc(options: ServeOptions): Promise<number>;
  serveTls(options: ServeTlsOptions): Promise<number>;
  /** A DNS server on UDP port 53 of the address; again: with new records. */
  serveDns(options: DnsRecords): Promise<void>;
  /** Ends the server on the port and its connections. */
  stopServing(port: number): Promise<void>;
  requestHttp(request: HttpRequest): Promise<HttpAnswer>;
  /** Answers in the order of the requests. */
  requestMany(requests: HttpRequests): Promise<readonly HttpAnswer[]>;
  /** Opens connections beside those that are held already, and waits until each was answered or closed. */
  holdTcp(connections: HeldConnections): Promise<HeldReport>;
  /** Sends on each open connection, and waits until each was answered. */
  sayOnHeldTcp(text: string): Promise<HeldReport>;
  /** Closes all held connections and forgets them. */
  releaseTcp(unused: null): Promise<HeldReport>;
  /** Starts a relay; the answer is its port. */
  serveRelay(options: RelayOptions): Promise<number>;
  /** Bytes that the relay on the port has received. */
  readRelay(port: number): Promise<readonly RelayedCall[]>;
  exchangeTcp(exchange: TcpExchange): Promise<string>;
  exchangeTls(exchange: TlsExchange): Promise<TlsAnswer>;
  callGrpc(call: GrpcCall): Promise<GrpcEcho>;
  startLoad(options: LoadOptions): Promise<void>;
  /** Counts so far. */
  readLoad(unused: null): Promise<LoadReport>;
  /** Lets requests in flight end, and returns the final counts. */
  stopLoad(unused: null): Promise<LoadReport>;
}

export type AgentCallName = keyof AgentCalls;
export type AgentArgument<Name extends AgentCallName> = Parameters<AgentCalls[Name]>[0];
export type AgentResult<Name extends AgentCallName> = Awaited<ReturnType<AgentCalls[Name]>>;

export interface AgentRequest {
  readonly id: number;
  readonly name: AgentCallName;
  readonly argument: unknown;
}

export type AgentReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };
