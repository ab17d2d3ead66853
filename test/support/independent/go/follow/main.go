// Follows the public log with the Go project's own packages: reads its checkpoint (sumdb/note), its tiles (sumdb/tlog) and the
// service's consistency proof, and judges them by nothing that this repository wrote.
//
//	go run ./follow -url http://127.0.0.1:8787/v1/public/transparency -log VKEY [-old SIZE]
package main

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	prefix := flag.String("url", "", "what stands before /checkpoint and /tile")
	vkey := flag.String("log", "", "the log's verifier key")
	old := flag.Int64("old", 1, "the size from which the growth of the log is proven")
	flag.Parse()
	verifier := must(note.NewVerifier(*vkey))
	opened := must(note.Open(get(*prefix+"/checkpoint"), note.VerifierList(verifier)))
	tree := parse(opened.Text, verifier.Name())
	fmt.Printf("checkpoint  %s, %d leaves, %d other signatures\n", verifier.Name(), tree.N, len(opened.UnverifiedSigs))
	if tree.N == 0 {
		return
	}
	// TileHashReader checks each tile that it reads against the tree's root.
	hashes := tlog.TileHashReader(tree, &tiles{prefix: *prefix, size: tree.N})
	root := must(tlog.TreeHash(tree.N, hashes))
	fmt.Printf("tiles       root %s\n", check(root == tree.Hash, root))
	last := must(hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, tree.N-1)}))[0]
	inclusion := must(tlog.ProveRecord(tree.N, tree.N-1, hashes))
	if err := tlog.CheckRecord(inclusion, tree.N, tree.Hash, tree.N-1, last); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("inclusion   of leaf %d\n", tree.N-1)
	if *old < 1 || *old >= tree.N {
		return
	}
	oldRoot := must(tlog.TreeHash(*old, hashes))
	served := consistency(fmt.Sprintf("%s/consistency?old_size=%d&new_size=%d", *prefix, *old, tree.N))
	if err := tlog.CheckTree(served, tree.N, tree.Hash, *old, oldRoot); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("consistency from %d leaves, by the service's own proof\n", *old)
}

// A checkpoint has one form more than the trees of Go's own log: its origin.
func parse(text, origin string) tlog.Tree {
	body, isOwn := strings.CutPrefix(text, origin+"\n")
	if !isOwn {
		log.Fatal("the checkpoint is of another log")
	}
	return must(tlog.ParseTree([]byte("go.sum database tree\n" + body)))
}

type tiles struct {
	prefix string
	size   int64
}

func (t *tiles) Height() int { return 8 }

func (t *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	read := make([][]byte, len(wanted))
	for at, tile := range wanted {
		// Go writes the height of its tiles before the level.
		read[at] = get(t.prefix + "/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
	}
	return read, nil
}

func (t *tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func consistency(url string) tlog.TreeProof {
	var answer struct {
		Path []string `json:"consistency_path"`
	}
	if err := json.Unmarshal(get(url), &answer); err != nil {
		log.Fatal(err)
	}
	proof := tlog.TreeProof{}
	for _, text := range answer.Path {
		var hash tlog.Hash
		if copied := copy(hash[:], must(hex.DecodeString(text))); copied != tlog.HashSize {
			log.Fatal("a hash of the proof is cut")
		}
		proof = append(proof, hash)
	}
	return proof
}

func get(url string) []byte {
	response := must(http.Get(url))
	defer response.Body.Close()
	body := must(io.ReadAll(response.Body))
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s answered %d", url, response.StatusCode)
	}
	return body
}

func check(holds bool, shown any) any {
	if !holds {
		log.Fatalf("wrong: %v", shown)
	}
	return shown
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
