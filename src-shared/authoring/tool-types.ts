// The tools as authors see them: reads where a phase may read, mutations where it may act. What a
// call takes and gives is checked again when it is made; this is so that an editor knows it before.

/** `Body`: what you expect as JSON. */
export interface HttpAnswer<Body = unknown> {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Where the body is JSON; else there is `text`, or `base64` where it is no text. */
  readonly json: Body;
  readonly text?: string;
  readonly base64?: string;
}

/** Secrets by their names, as `holdfast secret set NAME` keeps them. */
export type HttpAuth =
  | { readonly bearerSecret: string }
  /** A secret of the form `user:password`. */
  | { readonly basicSecret: string }
  | { readonly headerSecrets: { readonly [header: string]: string } };

type QueryValue = string | number | boolean;

export interface HttpRequest {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: QueryValue | readonly QueryValue[] };
  readonly auth?: HttpAuth;
  readonly timeoutMs?: number;
  /** The answers that mean success, where 2xx does not say it. */
  readonly expect?: readonly number[];
}

/** An answer that proves something: `{ status: [404] }`, `{ jsonPath: 'count', equals: 1 }`. */
export interface HttpCondition {
  readonly status?: readonly number[];
  readonly jsonPath?: string;
  /** `{effectId}` in a text stands for the effect id. */
  readonly equals?: unknown;
  readonly exists?: true;
}

export interface HttpEffect extends HttpRequest {
  readonly json?: unknown;
  readonly text?: string;
  /** How to ask afterwards whether it happened. Without it only you can tell when an answer is lost. */
  readonly reconcile?: {
    /** `{effectId}` in it stands for the effect id, which the call carried as Idempotency-Key. */
    readonly url: string;
    /** The header, or the query parameter, that carries the effect id. */
    readonly header?: string;
    readonly query?: string;
    readonly auth?: HttpAuth;
    readonly happenedWhen: HttpCondition;
    readonly didNotHappenWhen?: HttpCondition;
    /** How long after sending "it is not there" may still mean "not yet". */
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
    /** The newest come first. */
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

/** The host takes over from there: what came of it is told to `next`. */
type Effect<Params> = (params: Params) => Promise<never>;

/** For `mutate`, which makes one of these calls. */
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
    /** `marker`: one line with `{id}` in it, in the manner of the file; `# holdfast {id}` by default. */
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
  /** `next` gets `{ jobId, status, exitCode, signal, reason, tail }`: that it ran is what happened,
   * however it ended. */
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
  readonly user: string;
}

/** What a workflow asks to be granted; adding or activating the file grants it. */
export interface Uses {
  /** `api.example.org`, `*.example.org`, `127.0.0.1:8080`. */
  readonly http?: { readonly hosts: readonly string[] };
  readonly feed?: { readonly hosts: readonly string[] };
  /** Full paths, or such that begin with `~/`. */
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
      /** `*@example.org`; without it mail may go to anyone. */
      readonly allowRecipients?: readonly string[];
    };
  };
  readonly notify?: object;
  readonly ask?: object;
  /** Keys of scripts in the registry of this device. */
  readonly runner?: { readonly scripts: readonly string[] };
}
