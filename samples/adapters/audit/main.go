// An adapter of one's own in Go: appends log entries to a file (docs/adapters.md). It has sessions: each handler tells its
// file once. Run: go run . -listen :9001
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"sync"

	config "audit/gen/audit"
	"audit/gen/logentry"
	"audit/gen/model"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type adapter struct {
	model.UnimplementedInfrastructureBackendServer
	logentry.UnimplementedHandleLogEntryServiceServer
	files sync.Map // *os.File by session
}

func (a *adapter) Validate(_ context.Context, r *model.ValidateRequest) (*model.ValidateResponse, error) {
	if err := r.GetAdapterConfig().UnmarshalTo(&config.Params{}); err != nil {
		return &model.ValidateResponse{Status: &model.Status{Code: int32(codes.InvalidArgument), Message: err.Error()}}, nil
	}
	return &model.ValidateResponse{}, nil
}

func (a *adapter) CreateSession(_ context.Context, r *model.CreateSessionRequest) (*model.CreateSessionResponse, error) {
	params, file := &config.Params{}, os.Stdout
	err := r.GetAdapterConfig().UnmarshalTo(params)
	if err == nil && params.File != "" {
		file, err = os.OpenFile(params.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return &model.CreateSessionResponse{Status: &model.Status{Code: int32(codes.Internal), Message: err.Error()}}, nil
	}
	id := fmt.Sprintf("%p", file)
	a.files.Store(id, file)
	return &model.CreateSessionResponse{SessionId: id}, nil
}

func (a *adapter) CloseSession(_ context.Context, r *model.CloseSessionRequest) (*model.CloseSessionResponse, error) {
	if file, ok := a.files.LoadAndDelete(r.SessionId); ok && file != os.Stdout {
		file.(*os.File).Close()
	}
	return &model.CloseSessionResponse{}, nil
}

func (a *adapter) HandleLogEntry(_ context.Context, r *logentry.HandleLogEntryRequest) (*model.ReportResult, error) {
	file, ok := a.files.Load(string(r.GetAdapterConfig().GetValue()))
	if !ok {
		return nil, status.Error(codes.NotFound, "no such session") // The policy server begins another one.
	}
	for _, entry := range r.Instances {
		if _, err := fmt.Fprintln(file.(*os.File), entry.Name, entry.Severity, entry.Variables["path"].GetStringValue()); err != nil {
			return nil, err
		}
	}
	return &model.ReportResult{}, nil
}

func main() {
	address := flag.String("listen", "127.0.0.1:9001", "address to listen on")
	flag.Parse()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	backend := &adapter{}
	model.RegisterInfrastructureBackendServer(server, backend)
	logentry.RegisterHandleLogEntryServiceServer(server, backend)
	log.Printf("listening on %s", listener.Addr())
	log.Fatal(server.Serve(listener))
}
