// The storage that the Worker under test reaches by itself, beside its objects', with points at which it stops.
import { aroundDeed } from './arms.ts'

/** The one write by which D1 gets settings that an organisation's object has already. */
const COPIES_SETTINGS = 'settings_version < ?'

export function stoppingDatabase(database: D1Database): D1Database {
  const prepare = (query: string): D1PreparedStatement => {
    const statement = database.prepare(query)
    if (query.includes(COPIES_SETTINGS)) {
      const bind = statement.bind.bind(statement)
      Object.defineProperty(statement, 'bind', { value: (...values: unknown[]) => stoppingCopy(bind(...values)) })
    }
    return statement
  }
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'prepare') return prepare
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}

function stoppingCopy(statement: D1PreparedStatement): D1PreparedStatement {
  const run = statement.run.bind(statement)
  Object.defineProperty(statement, 'run', { value: () => aroundDeed('copy', () => run()) })
  return statement
}

/** The Worker puts nothing but content into it. */
export function keepingBucket(bucket: R2Bucket): R2Bucket {
  const put = (key: string, value: Uint8Array): Promise<R2Object | null> =>
    aroundDeed('keep', () => bucket.put(key, value))
  return new Proxy(bucket, {
    get: (target, name) => {
      if (name === 'put') return put
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}
