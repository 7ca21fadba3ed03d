/** How to reach an API server and as whom. Only data: HttpsTransport makes it work. */
export interface Connection {
  /** `https://host:port`, with a path when the API lives below one. */
  readonly server: string;
  readonly ca?: Pem | undefined;
  /** A certificate of our own, with its key. */
  readonly certificate?: { readonly cert: Pem; readonly key: Pem } | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** The name the server's certificate must carry, if not the host's. */
  readonly tlsServerName?: string | undefined;
  /** A proxy named for this server; none: the environment decides. */
  readonly proxyUrl?: string | undefined;
  readonly identity: Identity;
  /** Whom to act as, as request headers. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
}

/** Certificates or a key in PEM, or the file they are read from, again and again since it may change. */
export type Pem = { readonly data: string } | { readonly file: string };

/** Who we are to the server, besides what a client certificate says. */
export type Identity =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  /** `token` stands in while the file cannot be read. */
  | { readonly kind: 'tokenFile'; readonly file: string; readonly token?: string | undefined }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'exec'; readonly plugin: ExecPlugin };

/** A program that prints credentials (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  readonly installHint: string;
  /** What the plugin is told of the cluster, if it asks for it. */
  readonly clusterInfo?: Readonly<Record<string, unknown>> | undefined;
}

/** The configuration cannot be used as it stands. Retrying does not help; its text is for the operator. */
export class ConnectionConfigError extends Error {
  override readonly name = 'ConnectionConfigError';
}
