// A gRPC client and server that is configured over xDS. It reads one command per line from standard input, as JSON, and
// writes one answer per line. Commands: see README.md beside this folder.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	xdscreds "google.golang.org/grpc/credentials/xds"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/xds"
	"google.golang.org/grpc/xds/csds"

	statuspb "github.com/envoyproxy/go-control-plane/envoy/service/status/v3"
)

type command struct {
	ID        int               `json:"id"`
	Op        string            `json:"op"`
	Target    string            `json:"target"`
	Method    string            `json:"method"`
	Metadata  map[string]string `json:"metadata"`
	TimeoutMs int               `json:"timeoutMs"`
	Count     int               `json:"count"`
	Parallel  bool              `json:"parallel"`
	Secure    bool              `json:"secure"`
	Address   string            `json:"address"`
	Name      string            `json:"name"`
}

type reply struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
	Server  string `json:"server,omitempty"`
}

type answer struct {
	ID      int     `json:"id"`
	Replies []reply `json:"replies,omitempty"`
	Port    int     `json:"port,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// rawCodec passes messages on as bytes.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (rawCodec) Name() string { return "proto" }

type program struct {
	mutex    sync.Mutex
	channels map[string]*grpc.ClientConn
	output   *json.Encoder
}

func (p *program) say(a answer) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	_ = p.output.Encode(a)
}

func (p *program) channel(target string, secure bool) (*grpc.ClientConn, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	key := fmt.Sprint(target, secure)
	if known, ok := p.channels[key]; ok {
		return known, nil
	}
	var creds credentials.TransportCredentials = insecure.NewCredentials()
	if secure {
		var err error
		creds, err = xdscreds.NewClientCredentials(xdscreds.ClientOptions{FallbackCreds: creds})
		if err != nil {
			return nil, err
		}
	}
	channel, err := grpc.NewClient(target, grpc.WithTransportCredentials(creds))
	if err == nil {
		p.channels[key] = channel
	}
	return channel, err
}

func (p *program) call(c command) answer {
	channel, err := p.channel(c.Target, c.Secure)
	if err != nil {
		return answer{ID: c.ID, Error: err.Error()}
	}
	replies := make([]reply, c.Count)
	one := func(index int) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.TimeoutMs)*time.Millisecond)
		defer cancel()
		ctx = metadata.NewOutgoingContext(ctx, metadata.New(c.Metadata))
		request, response := []byte("hello"), []byte(nil)
		err := channel.Invoke(ctx, c.Method, &request, &response, grpc.ForceCodec(rawCodec{}), grpc.WaitForReady(false))
		replies[index] = reply{Code: int(status.Code(err)), Message: status.Convert(err).Message(), Server: string(response)}
	}
	var group sync.WaitGroup
	for index := range replies {
		if !c.Parallel {
			one(index)
			continue
		}
		group.Add(1)
		go func() {
			defer group.Done()
			one(index)
		}()
	}
	group.Wait()
	return answer{ID: c.ID, Replies: replies}
}

func (p *program) close(c command) answer {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for key, channel := range p.channels {
		if strings.HasPrefix(key, c.Target) {
			_ = channel.Close()
			delete(p.channels, key)
		}
	}
	return answer{ID: c.ID}
}

func (p *program) serve(c command) answer {
	var creds credentials.TransportCredentials = insecure.NewCredentials()
	if c.Secure {
		var err error
		creds, err = xdscreds.NewServerCredentials(xdscreds.ServerOptions{FallbackCreds: creds})
		if err != nil {
			return answer{ID: c.ID, Error: err.Error()}
		}
	}
	server, err := xds.NewGRPCServer(grpc.Creds(creds), grpc.ForceServerCodec(rawCodec{}))
	if err != nil {
		return answer{ID: c.ID, Error: err.Error()}
	}
	handler := func(_ any, ctx context.Context, decode func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
		var request []byte
		if err := decode(&request); err != nil {
			return nil, err
		}
		run := func(context.Context, any) (any, error) {
			response := []byte(c.Name)
			return &response, nil
		}
		if interceptor == nil {
			return run(ctx, &request)
		}
		return interceptor(ctx, &request, &grpc.UnaryServerInfo{FullMethod: "/test.Echo/Say"}, run)
	}
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "test.Echo",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			{MethodName: "Say", Handler: handler},
			{MethodName: "Secret", Handler: handler},
		},
	}, nil)
	listener, err := net.Listen("tcp", c.Address)
	if err != nil {
		return answer{ID: c.ID, Error: err.Error()}
	}
	go func() {
		if err := server.Serve(listener); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return answer{ID: c.ID}
}

// status serves the client status service of the library, in plaintext on a free port.
func (p *program) status(c command) answer {
	service, err := csds.NewClientStatusDiscoveryServer()
	if err != nil {
		return answer{ID: c.ID, Error: err.Error()}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return answer{ID: c.ID, Error: err.Error()}
	}
	server := grpc.NewServer()
	statuspb.RegisterClientStatusDiscoveryServiceServer(server, service)
	go func() {
		if err := server.Serve(listener); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return answer{ID: c.ID, Port: listener.Addr().(*net.TCPAddr).Port}
}

func main() {
	p := &program{channels: map[string]*grpc.ClientConn{}, output: json.NewEncoder(os.Stdout)}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch c.Op {
		case "call":
			go func() { p.say(p.call(c)) }()
		case "serve":
			p.say(p.serve(c))
		case "status":
			p.say(p.status(c))
		default:
			p.say(p.close(c))
		}
	}
}
