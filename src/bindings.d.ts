// The bindings of wrangler.toml, typed. Settings are read through platform/config.ts alone.
declare namespace Cloudflare {
  interface Env {
    DATASETS: KVNamespace
    FILES: R2Bucket
    DB: D1Database
    ORGANISATIONS: DurableObjectNamespace<import('./organisation/organisation.do.ts').Organisation>
    PUBLIC_LOG: DurableObjectNamespace<import('./ledger/public-log/public-log.do.ts').PublicLog>
    PUBLIC_LOG_INDEX: DurableObjectNamespace<import('./ledger/public-log/public-log-index.do.ts').PublicLogIndex>
    /** Cloudflare Email Service, where mail leaves by it. */
    EMAIL?: SendEmail
  }
}
