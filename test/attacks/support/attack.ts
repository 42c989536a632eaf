/** Addresses of the attacked server and credentials of the attacker. Plain data, because another process reads it. */
export interface AttackTarget {
  readonly host: string;
  readonly ports: {
    readonly grpc: number;
    readonly secureGrpc: number;
    readonly https: number;
    readonly policy: number;
    readonly http: number;
    readonly monitoring: number;
    /** Of UDP and TCP. */
    readonly dns: number;
  };
  /** Root certificate of the mesh, PEM. */
  readonly root: string;
  /** Name in the certificate of the secured listeners. */
  readonly serverName: string;
  /** Certificate and key of a workload of another tenant: namespace `attackers`, service account `attacker`. PEM. */
  readonly credentials: { readonly certificate: string; readonly key: string };
  /** Kubeconfig file of the cluster's administrator, for attacks by objects that a tenant may create in `attackers`. */
  readonly kubeconfig: string;
  readonly processId: number;
  /** Seed of random attacks. */
  readonly seed: number;
}

/** Settings that an attack needs the server to have. */
export interface PreparedServer {
  /** Variables of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends what the settings name, such as an upstream server. */
  close(): Promise<void>;
}

/** One way to misuse the server. */
export interface Attack {
  /** The attack as a test title: "300 half-sent calls of CreateCertificate without credentials". */
  readonly title: string;
  /** The attack's length when it runs beside another one, ms. Default 10,000. An attack may end earlier by itself. */
  readonly durationMs?: number;
  /** Policy configuration, YAML, that the attack needs the server to have. */
  readonly policyConfig?: string;
  /** Called in the process of the test, before the server starts. */
  prepare?(): Promise<PreparedServer>;
  /**
   * Attacks until done or until `signal` aborts. Errors of connections are part of an attack and must not reject.
   *
   * @param scale multiplies the rate or the size; 1 is the size in the title
   * @returns one line with the numbers of the attack: connections, bytes, answers, refusals
   */
  run(target: AttackTarget, scale: number, signal: AbortSignal): Promise<string>;
}
