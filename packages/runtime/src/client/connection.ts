/** The address of an API server, and the identity to use there. Plain data; HttpsTransport connects with it. */
export interface Connection {
  /** `https://host:port`, with a path when the API lives below one. */
  readonly server: string;
  readonly ca?: Pem | undefined;
  /** The client certificate, with its key. */
  readonly certificate?: { readonly cert: Pem; readonly key: Pem } | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** The name to expect in the server's certificate, if it is not the host's. */
  readonly tlsServerName?: string | undefined;
  /** The proxy configured for this server. Without one, the environment decides. */
  readonly proxyUrl?: string | undefined;
  readonly identity: Identity;
  /** The user to impersonate, as request headers. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
}

/** Certificates or a key in PEM, as data or as a file. The file may change, so it is read repeatedly. */
export type Pem = { readonly data: string } | { readonly file: string };

/** How this client authenticates, besides a client certificate. */
export type Identity =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  /** `token` is used while the file cannot be read. */
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
  /** The description of the cluster for plugins that ask for it. */
  readonly clusterInfo?: Readonly<Record<string, unknown>> | undefined;
}

/** The configuration is invalid. Retrying does not help; the message is for the operator of the cluster. */
export class ConnectionConfigError extends Error {
  override readonly name = 'ConnectionConfigError';
}
