{{- /* The revision, and the suffix of the names that each revision has for itself. */ -}}
{{- define "navigator.revision" -}}
{{ .Values.revision | default "default" }}
{{- end -}}
{{- define "navigator.suffix" -}}
{{- with .Values.revision }}-{{ . }}{{ end -}}
{{- end -}}
{{- /* The reference of the image. */ -}}
{{- define "navigator.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}
