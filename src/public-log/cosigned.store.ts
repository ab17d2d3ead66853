// Which size of the public log each witness has cosigned last, by its own word. It only spares a question: a witness that has
// another size says so.
export const COSIGNED_SCHEMA = `
  CREATE TABLE cosigned (
    witness TEXT PRIMARY KEY,
    tree_size INTEGER NOT NULL CHECK (tree_size >= 0)
  ) STRICT, WITHOUT ROWID;
`

const UPSERT = `
  INSERT INTO cosigned (witness, tree_size) VALUES (?, ?)
  ON CONFLICT (witness) DO UPDATE SET tree_size = excluded.tree_size WHERE tree_size <> excluded.tree_size`

export class CosignedStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** By the name of the witness's key. */
  read(): ReadonlyMap<string, number> {
    const rows = this.#sql.exec<{ witness: string; tree_size: number }>('SELECT witness, tree_size FROM cosigned')
    return new Map(rows.toArray().map(({ witness, tree_size: size }) => [witness, size]))
  }

  /** A write only where it is another than before. */
  write(witness: string, size: number): void {
    this.#sql.exec(UPSERT, witness, size)
  }
}
