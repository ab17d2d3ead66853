// Checks a request body against a format's zod schema and names the first fault: the path and the rule, never the
// value. The providers refuse fields they do not know, so the schemas are strict where the provider is.

import type { z } from 'zod'

export interface BodyFault {
  /** `messages.0.content` */
  path: string
  kind: 'missing' | 'unknown' | 'invalid'
  rule: string
}

export function checkBody<T>(
  schema: z.ZodType<T>,
  body: unknown,
): { ok: true; value: T } | { ok: false; fault: BodyFault } {
  const checked = schema.safeParse(body)
  if (checked.success) return { ok: true, value: checked.data }
  return { ok: false, fault: faultOf(checked.error.issues[0], body) }
}

function faultOf(issue: z.core.$ZodIssue | undefined, body: unknown): BodyFault {
  if (issue === undefined) return { path: '', kind: 'invalid', rule: 'invalid' }
  if (issue.code === 'unrecognized_keys') {
    return { path: [...issue.path, issue.keys[0] ?? ''].join('.'), kind: 'unknown', rule: 'unknown field' }
  }
  if (issue.code === 'invalid_union') {
    const ofKind = issue.errors.filter((issues) => !issues.some(({ path }) => path.length === 1 && path[0] === 'type'))
    const inner = (ofKind.length > 0 ? ofKind : issue.errors).toSorted((a, b) => depth(b) - depth(a))[0]?.[0]
    if (inner !== undefined && inner.path.length > 0) {
      return faultOf({ ...inner, path: [...issue.path, ...inner.path] }, body)
    }
  }
  const isMissing = valueAt(body, issue.path) === undefined
  return { path: issue.path.join('.'), kind: isMissing ? 'missing' : 'invalid', rule: issue.message }
}

/** Of the branches of a union whose kind was named, the one that got furthest is the one that was meant. */
function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length))
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  )
}
