// The bindings of wrangler.toml, typed. Settings are read through platform/config.ts alone.
declare namespace Cloudflare {
  interface Env {
    /** The built pages (src/pages). */
    ASSETS: Fetcher
    DATASETS: KVNamespace
    FILES: R2Bucket
    /** A second bucket, with a copy of each full tile of a log. */
    FILES_MIRROR?: R2Bucket
    DB: D1Database
    /** A first limit of sign-ins and sign-ups by network; per location and approximate. */
    SIGN_IN_SIEVE?: RateLimit | undefined
    ORGANISATIONS: DurableObjectNamespace<import('./organisation/organisation.do.ts').Organisation>
    PUBLIC_LOG: DurableObjectNamespace<import('./public-log/public-log.do.ts').PublicLog>
    PUBLIC_LOG_INDEX: DurableObjectNamespace<import('./public-log/public-log-index.do.ts').PublicLogIndex>
    /** The uploaded code and settings, by the platform's id. */
    VERSION?: WorkerVersionMetadata
    /** Cloudflare Email Service, if it sends our mail. */
    EMAIL?: SendEmail
  }
}

/** Written by the [build] command of wrangler.toml, so it is missing before the first build. */
declare module '*/dist/build.json' {
  const built: { readonly source_sha256: string } | null
  export default built
}
