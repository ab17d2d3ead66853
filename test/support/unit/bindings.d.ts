// The bindings that only tests have.
declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    OPERATOR_TOKEN: string
  }
}
