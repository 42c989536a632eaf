package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"path/filepath"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// serve answers the API server's requests for pods/portforward, pods/exec and pods/log, on the port that API servers
// expect, with Kubernetes' own streaming code. Nothing else of a kubelet's API is there.
func (k *kubelet) serve() error {
	certificate, err := selfSigned()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/portForward/{namespace}/{pod}", func(w http.ResponseWriter, r *http.Request) {
		options, err := portforward.NewV4Options(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		name := r.PathValue("namespace") + "_" + r.PathValue("pod")
		portforward.ServePortForward(w, r, k, name, "", options, time.Minute, 10*time.Second, portforward.SupportedProtocols)
	})
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		options, err := remotecommand.NewOptions(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		name := r.PathValue("namespace") + "_" + r.PathValue("pod")
		remotecommand.ServeExec(w, r, k, name, "", r.PathValue("container"), r.URL.Query()["command"], options, time.Minute, 10*time.Second, remotecommand.SupportedStreamingProtocols)
	})
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		found, err := k.running(r.PathValue("namespace") + "_" + r.PathValue("pod"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		http.ServeFile(w, r, filepath.Join(found.dir, filepath.Base(r.PathValue("container"))+".log"))
	})
	server := &http.Server{Addr: ":10250", Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}, TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	go func() { log.Printf("the kubelet no longer answers: %v", server.ListenAndServeTLS("", "")) }()
	return nil
}

// running finds a pod by <namespace>_<name>.
func (k *kubelet) running(name string) (*sandbox, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.pods {
		if filepath.Base(s.dir) == name && s.pause != nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("pod %s does not run", name)
}

// selfSigned makes a certificate, which API servers do not verify unless they are told a root for kubelets.
func selfSigned() (tls.Certificate, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubelet"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
