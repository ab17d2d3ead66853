// Makes schemas when they are first used. Making all of them takes a third of the Worker's start, and most describe answers, which
// only the OpenAPI document and the tests use.
import type * as z from 'zod'

/** Wraps `make` so that it runs at the first call only. Each call returns that value. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}

/** The values that a schema made by `once` returns: `Infer<typeof KeySchema>`. */
export type Infer<Make extends () => z.ZodType> = z.output<ReturnType<Make>>

/** The values that such a schema takes. */
export type InferInput<Make extends () => z.ZodType> = z.input<ReturnType<Make>>
