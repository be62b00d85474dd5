// The tool types that workflow authors see in an editor: read methods for phases that read, mutations
// for phases that act. Every call is also validated at run time.

/** `Body` is the type of the JSON body that you expect. */
export interface HttpAnswer<Body = unknown> {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Set if the body is JSON; otherwise `text` is set, or `base64` for binary data. */
  readonly json: Body;
  readonly text?: string;
  readonly base64?: string;
}

/** Names of secrets that `holdfast secret set NAME` stored. */
export type HttpAuth =
  | { readonly bearerSecret: string }
  /** The name of a secret in the form `user:password`. */
  | { readonly basicSecret: string }
  | { readonly headerSecrets: { readonly [header: string]: string } };

type QueryValue = string | number | boolean;

/**
 * The cost of a call. `{ usd: 0.002 }`: this price per call. `{ jsonPath: 'usage.cost' }` or
 * `{ header: 'x-cost' }`: the dollars in the response. With `usd`, the value in the response is a number
 * of units at that price each, such as tokens: `{ jsonPath: 'usage.input_tokens', usd: 0.000003 }`.
 */
export type HttpCost =
  | { readonly usd: number }
  | { readonly jsonPath: string; readonly usd?: number }
  | { readonly header: string; readonly usd?: number };

export interface HttpRequest {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: QueryValue | readonly QueryValue[] };
  readonly auth?: HttpAuth;
  readonly timeoutMs?: number;
  /** The statuses that mean success; 2xx by default. */
  readonly expect?: readonly number[];
  /** Counted in the run's cost; several are added. It never changes the outcome of the call. */
  readonly cost?: HttpCost | readonly HttpCost[];
}

/** A condition on a response: `{ status: [404] }` or `{ jsonPath: 'count', equals: 1 }`. */
export interface HttpCondition {
  readonly status?: readonly number[];
  readonly jsonPath?: string;
  /** `{effectId}` in a string is replaced by the effect id. */
  readonly equals?: unknown;
  readonly exists?: true;
}

export interface HttpEffect extends HttpRequest {
  readonly json?: unknown;
  readonly text?: string;
  /** How to check later whether the effect happened. Without it, you must decide after a lost response. */
  readonly reconcile?: {
    /** `{effectId}` is replaced by the effect id, which the call sent as Idempotency-Key. */
    readonly url: string;
    /** The header or query parameter that carries the effect id. */
    readonly header?: string;
    readonly query?: string;
    readonly auth?: HttpAuth;
    readonly happenedWhen: HttpCondition;
    readonly didNotHappenWhen?: HttpCondition;
    /** How long the effect may still be in progress at the server. Counts while this device is awake. */
    readonly settleMs?: number;
  };
}

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: number;
  readonly modifiedAt: string;
}

export interface MailSummary {
  readonly uid: number;
  readonly messageId: string | null;
  readonly from: string | null;
  readonly to: readonly string[];
  readonly subject: string;
  readonly date: string | null;
  readonly seen: boolean;
  readonly size: number;
}

export interface FeedEntry {
  readonly id: string;
  readonly title: string;
  readonly link: string | null;
  readonly publishedAt: string | null;
  readonly summary: string;
  readonly author: string | null;
}

type HttpRead = <Body = unknown>(request: HttpRequest) => Promise<HttpAnswer<Body>>;

/** For `run` and `prepare`. */
export interface ReadTools {
  readonly http: { readonly get: HttpRead; readonly head: HttpRead };
  readonly files: {
    list(at: { path: string }): Promise<{
      readonly path: string;
      readonly entries: readonly ({ readonly name: string } & FileFacts)[];
    }>;
    read(at: { path: string; encoding?: 'utf8' | 'base64' }): Promise<
      {
        readonly path: string;
        readonly sha256: string;
        readonly text: string;
        readonly base64: string;
      } & FileFacts
    >;
    stat(at: {
      path: string;
    }): Promise<{ readonly path: string; readonly exists: boolean } & Partial<FileFacts>>;
  };
  readonly mail: {
    /** Newest first. */
    search(what: {
      folder?: string;
      since?: string;
      from?: string;
      subject?: string;
      unseen?: boolean;
      limit?: number;
    }): Promise<readonly MailSummary[]>;
    read(what: { folder?: string; uid: number }): Promise<
      MailSummary & {
        readonly text: string;
        readonly html?: string;
        readonly truncated: boolean;
        readonly attachments: readonly { readonly filename: string | null }[];
      }
    >;
  };
  readonly feed: {
    read(feed: {
      url: string;
      etag?: string | null;
      lastModified?: string | null;
      limit?: number;
      auth?: HttpAuth;
      timeoutMs?: number;
    }): Promise<{
      readonly changed: boolean;
      readonly title: string;
      readonly link: string | null;
      readonly entries: readonly FeedEntry[];
      readonly etag: string | null;
      readonly lastModified: string | null;
    }>;
  };
}

/** The host makes the call after `mutate` and passes the outcome to `next`. */
type Effect<Params> = (params: Params) => Promise<never>;

/** For `mutate`, which makes at most one of these calls. */
export interface MutationTools {
  readonly http: {
    readonly post: Effect<HttpEffect>;
    readonly put: Effect<HttpEffect>;
    readonly patch: Effect<HttpEffect>;
    readonly delete: Effect<HttpEffect>;
  };
  readonly files: {
    readonly write: Effect<{
      path: string;
      text?: string;
      base64?: string;
      ifExists?: 'replace' | 'fail';
    }>;
    readonly move: Effect<{ from: string; to: string }>;
    /** `marker` is a line with `{id}`, such as a comment of the file's format; `# holdfast {id}` by default. */
    readonly append: Effect<{ path: string; text: string; marker?: string }>;
    readonly mkdir: Effect<{ path: string }>;
  };
  readonly mail: {
    readonly send: Effect<{
      to: string | readonly string[];
      cc?: string | readonly string[];
      bcc?: string | readonly string[];
      subject: string;
      text?: string;
      html?: string;
      attachments?: readonly {
        filename: string;
        contentBase64: string;
        contentType?: string;
      }[];
      replyTo?: string;
      inReplyTo?: string;
    }>;
  };
  readonly notify: { readonly show: Effect<{ title: string; body?: string }> };
  /** `next` gets `{ answer }` as the result. */
  readonly ask: {
    readonly question: Effect<{
      question: string;
      choices?: readonly string[];
      details?: string;
    }>;
  };
  /** `next` gets `{ jobId, status, exitCode, signal, reason, tail }`. A script that failed counts as
   * applied, because it ran. The line `HOLDFAST_COST_USD=0.0123` in its output is its cost. */
  readonly runner: {
    readonly run: Effect<{
      script: string;
      repo: string;
      args?: { readonly [name: string]: string | number | boolean };
      timeoutSeconds?: number;
    }>;
  };
}

interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly secure?: boolean;
  /** The name may have addresses in the local network or of this machine. */
  readonly private?: true;
  readonly user: string;
}

/** `api.example.org`, `*.example.org`, `127.0.0.1:8080`, or a host with further permissions. */
type HostGrant =
  | string
  | {
      readonly host: string;
      /** The name may have addresses in the local network or of this machine. */
      readonly private?: true;
      /** Secrets may be sent to it without TLS. */
      readonly plainSecrets?: true;
    };

/** The grants that a workflow requests. Adding or activating the file grants them. */
export interface Uses {
  readonly http?: { readonly hosts: readonly HostGrant[] };
  readonly feed?: { readonly hosts: readonly HostGrant[] };
  /** Absolute paths, or paths that start with `~/`. */
  readonly files?: { readonly folders: readonly string[]; readonly readOnly?: boolean };
  readonly mail?: {
    readonly account: {
      readonly smtp: MailServer;
      readonly imap: MailServer;
      readonly from: string;
      readonly passwordSecret: string;
      readonly imapPasswordSecret?: string;
      readonly sentFolder?: string;
      readonly sentCopy?: 'append' | 'server';
      readonly proof?: 'sent-copy' | 'bcc-self';
      /** Patterns such as `*@example.org`. Without it, mail may go to anyone. */
      readonly allowRecipients?: readonly string[];
      /** The cost of a sent mail, or of each of its recipients. */
      readonly cost?: { readonly usd: number; readonly per?: 'mail' | 'recipient' };
    };
  };
  readonly notify?: object;
  readonly ask?: object;
  /** Keys of scripts in this device's registry. */
  readonly runner?: { readonly scripts: readonly string[] };
}
