// Uses the client that oapi-codegen made: the calls of scripts/clients/generated/reference-calls.ts, each parsed as its type.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"clients/api"
)

func client(key string) *api.ClientWithResponses {
	bearer := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	made, err := api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(bearer))
	must(err)
	return made
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(is bool, body []byte) {
	if !is {
		log.Fatalf("not what was asked for: %s", body)
	}
}

func main() {
	ctx := context.Background()
	referral, gateway := client(os.Getenv("REFERRAL_KEY")), client(os.Getenv("GATEWAY_KEY"))
	letter, question := os.Getenv("LETTER"), os.Getenv("QUESTION")

	read, err := referral.ReadReferralWithResponse(ctx, api.ReadRequest{Text: &letter})
	must(err)
	expect(read.JSON200 != nil && read.JSON200.Specialty != nil, read.Body)

	action := api.ReadRequestAction("book_appointment")
	held, err := referral.ReadReferralWithResponse(ctx, api.ReadRequest{Action: &action})
	must(err)
	expect(held.JSON409 != nil, held.Body)

	child := api.AgeGroup("Child")
	asked := api.ListWaitingListsParams{Specialty: *read.JSON200.Specialty, AgeGroup: &child}
	lists, err := referral.ListWaitingListsWithResponse(ctx, &asked)
	must(err)
	expect(lists.JSON200 != nil, lists.Body)
	totals := []int{}
	for _, each := range lists.JSON200.WaitingLists {
		totals = append(totals, each.Total)
	}

	var content api.UserMessage_Content
	must(content.FromUserMessageContent0(question))
	var message api.ChatMessage
	must(message.FromUserMessage(api.UserMessage{Role: "user", Content: content}))
	chat, err := gateway.CreateChatCompletionWithResponse(ctx, nil, api.ChatCompletionRequest{
		Model:    "gpt-4.1-mini",
		Messages: []api.ChatMessage{message},
	})
	must(err)
	expect(chat.JSON200 != nil, chat.Body)

	refused, err := client("no-key").ReadReferralWithResponse(ctx, api.ReadRequest{Text: &letter})
	must(err)
	expect(refused.JSON401 != nil, refused.Body)

	answers, err := json.Marshal(map[string][]any{
		"read":    {read.JSON200.Decision, read.JSON200.Specialty, read.JSON200.AgeGroup, len(read.JSON200.Readers)},
		"held":    {held.JSON409.Action, held.JSON409.Decision, held.JSON409.Note},
		"lists":   {lists.JSON200.Specialty, lists.JSON200.AgeGroup, totals},
		"chat":    {chat.JSON200.Object, chat.JSON200.Choices[0].FinishReason, chat.JSON200.Aqta.Status},
		"refused": {refused.StatusCode(), refused.JSON401.Error.Code},
	})
	must(err)
	fmt.Println(string(answers))
}
