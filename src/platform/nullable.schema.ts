// A schema or null. `.nullable()` says the same to a parser, but puts null among an enum's values and into the component
// itself, which makes it null wherever it stands.
import { z } from '@hono/zod-openapi'

export const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()])
